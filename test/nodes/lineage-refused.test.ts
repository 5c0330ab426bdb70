import type { INodeType } from 'n8n-workflow';

import { connect } from './engine';
import type { WorkflowDefinition } from './engine';
import { aggregate, code, mergeByPosition, step } from './helper-nodes';
import type { Json } from './json';
import { claimNode, receiptNode, start } from './ledger-nodes';
import { inARow, merged, orders, tokenPerOperation, tokens, trace } from './lineage-workflow';
import { agreeable, batch, held, ScriptedLedger } from './scripted-ledger';

let ledger: ScriptedLedger;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
});
afterAll(() => ledger.stop());
beforeEach(() => ledger.answer(tokenPerOperation));

const run = (definition: WorkflowDefinition, nodeTypes: Record<string, INodeType>, items = orders(3)) =>
  trace(ledger, definition, nodeTypes, items);

describe('it is an error, never a guess', () => {
  async function refused(definition: WorkflowDefinition, nodeTypes: Record<string, INodeType>, items = orders(3)) {
    const { error, receipts } = await run(definition, nodeTypes, items);
    expect(receipts).toEqual([]);
    expect(error).toBeDefined();
    return `${error!.message}: ${error!.description}`;
  }

  test('when branches are combined by position', async () => {
    const said = await refused(merged('by position'), { 'test.merge': mergeByPosition }, orders(1));
    expect(said).toContain('several claims');
    expect(said).toContain('"Claim Seat"');
    expect(said).toContain('"Claim Mail"');
    expect(said).toContain('By Token');
  });

  test('when items were aggregated', async () => {
    const said = await refused(
      inARow([
        { name: 'Aggregate', type: 'test.aggregate' },
        { name: 'Book', type: 'test.book' },
      ]),
      { 'test.aggregate': aggregate },
    );
    expect(said).toContain('cannot be traced back to one claim');
    expect(said).toContain('One Result For Several Claims');
  });

  test('when a Code node made fewer items without pairing', async () => {
    const two = code((items) => items.slice(0, 2).map(({ orderId }) => ({ orderId })));
    expect(
      await refused(
        inARow([
          { name: 'Code', type: 'n8n-nodes-base.code' },
          { name: 'Book', type: 'test.book' },
        ]),
        { 'n8n-nodes-base.code': two },
      ),
    ).toContain('cannot be traced');
  });

  test.each([
    ['reordered the items', (items: Json[]) => [...items].reverse().map(({ orderId }) => ({ orderId }))],
    ['made one item of three', (items: Json[]) => [{ orderId: items[2].orderId }]],
  ])('when a Code node that runs once for all items %s', async (_, all) => {
    const definition = inARow([
      { name: 'Code', type: 'n8n-nodes-base.code' },
      { name: 'Book', type: 'test.book' },
    ]);
    const said = await refused(definition, { 'n8n-nodes-base.code': code(all) });
    expect(said).toContain('paired by position');
    expect(said).toContain('"Code"');
    expect(said).toContain('Run Once for Each Item');
  });

  test('but not when it runs once for each item, or there is one item', async () => {
    const each = inARow([
      { name: 'Code', type: 'n8n-nodes-base.code', parameters: { mode: 'runOnceForEachItem' } },
      { name: 'Book', type: 'test.book' },
    ]);
    const nodeTypes = { 'n8n-nodes-base.code': code((items) => items.map(({ orderId }) => ({ orderId }))) };
    expect((await run(each, nodeTypes)).error).toBeUndefined();
    ledger.received.length = 0;
    const one = inARow([
      { name: 'Code', type: 'n8n-nodes-base.code' },
      { name: 'Book', type: 'test.book' },
    ]);
    const { error, receipts } = await run(one, nodeTypes, orders(1));
    expect(error).toBeUndefined();
    expect(receipts).toHaveLength(1);
  });

  test('when there is no Claim Action', async () => {
    const definition = { nodes: [start(), receiptNode()], connections: connect({ Start: [['Receipt']] }) };
    expect(await refused(definition, {})).toContain('no Claim Action upstream');
  });

  test('when the Claim Action is disabled', async () => {
    const definition = inARow([{ name: 'Book', type: 'test.book' }]);
    definition.nodes[1]!.disabled = true;
    expect(await refused(definition, {})).toContain('"Claim" is disabled');
  });

  test('when the second of two Claim Actions is disabled: the first one is not taken in its place', async () => {
    const definition = inARow([claimNode('Claim Mail', { disabled: true }), { name: 'Mail', type: 'test.book' }]);
    expect(await refused(definition, {})).toContain('"Claim Mail" is disabled');
  });

  test('when the item comes from Hold', async () => {
    ledger.answer((received, earlier) =>
      received.path === '/v1/claims'
        ? batch(received.body.claims.map((claim: Json) => held(claim, 'unknown')))
        : agreeable(received, earlier),
    );
    const definition: WorkflowDefinition = {
      nodes: [start(), claimNode(), { name: 'Notify', type: 'test.book' }, receiptNode()],
      connections: connect({ Start: [['Claim']], Claim: [[], [], ['Notify']], Notify: [['Receipt']] }),
    };
    const said = await refused(definition, {});
    expect(said).toContain('"Claim" decided unknown');
    expect(said).toContain('Proceed');
  });

  test('when the claim token is empty', async () => {
    const definition = inARow([{ name: 'Book', type: 'test.book' }], {
      parameters: { claim: 'token', claimToken: '={{ $json.claim?.claimToken }}' },
    });
    expect(await refused(definition, {})).toContain('The claim token is empty');
  });

  test('and under Continue (using error output) it leaves there, the others are recorded', async () => {
    const definition = inARow([{ name: 'Book', type: 'test.some' }], {
      onError: 'continueErrorOutput',
      parameters: { claim: 'token', claimToken: '={{ $json.token }}', outcome: 'confirmed' },
    });
    const some = step(({ claim }, at) => (at === 1 ? { id: 1 } : { token: claim.claimToken }));
    const { done, receipts, error } = await run(definition, { 'test.some': some });
    expect(error).toBeUndefined();
    expect(tokens(receipts)).toEqual(['reserve-seat:o0', 'reserve-seat:o2']);
    expect(done.json('Receipt')).toHaveLength(2);
    expect(done.json('Receipt', 3)[0]).toMatchObject({ id: 1, error: { message: 'The claim token is empty' } });
  });
});
