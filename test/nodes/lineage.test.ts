import type { INode, INodeType } from 'n8n-workflow';

import { connect, Engine } from './engine';
import type { WorkflowDefinition } from './engine';
import { aggregate, code, loopOverItems, mergeAppend, mergeByPosition, noOp, step } from './helper-nodes';
import { claimNode, ledgerNodeTypes, receiptNode, start } from './ledger-nodes';
import { agreeable, batch, held, proceed, ScriptedLedger } from './scripted-ledger';
import type { Json } from './json';

let ledger: ScriptedLedger;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
});
afterAll(() => ledger.stop());
beforeEach(() => {
  // The token names the operation too, so that two Claim Actions for one item are told apart.
  ledger.answer((received, earlier) =>
    received.path === '/v1/claims'
      ? batch(received.body.claims.map((claim: Json) => proceed(claim, `${claim.operation}:${claim.subject}`)))
      : agreeable(received, earlier),
  );
});

const book = step(({ orderId }) => ({ reservationId: `RSV-${orderId}` }));
const orders = (count: number) => Array.from({ length: count }, (_, index) => ({ orderId: `o${index}` }));

async function run(definition: WorkflowDefinition, nodeTypes: Record<string, INodeType>, items = orders(3)) {
  const engine = new Engine({
    nodeTypes: { ...ledgerNodeTypes, 'test.book': book, 'n8n-nodes-base.noOp': noOp, ...nodeTypes },
    credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test' } },
  });
  const done = await engine.run(definition, { items });
  const receipts = ledger.asked('/v1/receipts').flatMap(({ body }) => body.receipts);
  return { done, receipts, error: done.error };
}

/** Start → Claim → each given node in a row → Receipt. */
function inARow(
  between: Array<Partial<INode> & { name: string; type: string }>,
  receipt: Partial<INode> = {},
): WorkflowDefinition {
  const names = ['Start', 'Claim', ...between.map(({ name }) => name), 'Receipt'];
  return {
    nodes: [start(), claimNode(), ...between, receiptNode('Receipt', receipt)],
    connections: connect(Object.fromEntries(names.slice(0, -1).map((name, at) => [name, [[names[at + 1]!]]]))),
  };
}

const tokens = (receipts: Json[]) => receipts.map(({ claimToken }) => claimToken);
const references = (receipts: Json[]) => receipts.map(({ reference }) => reference);

describe('the claim is found', () => {
  test('through a step, for each item', async () => {
    const { receipts, done } = await run(inARow([{ name: 'Book', type: 'test.book' }]), {});
    expect(tokens(receipts)).toEqual(['reserve-seat:o0', 'reserve-seat:o1', 'reserve-seat:o2']);
    expect(references(receipts)).toEqual(['RSV-o0', 'RSV-o1', 'RSV-o2']);
    expect(receipts[0].holder).toMatchObject({ kind: 'n8n', executionId: done.executionId, workflowId: 'workflow-1' });
    expect(done.output('Receipt').map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
  });

  test('when the step drops and reorders items but pairs them', async () => {
    const drop: INodeType = step((json) => (json.orderId === 'o1' ? [] : { reservationId: `RSV-${json.orderId}` }));
    const { receipts } = await run(inARow([{ name: 'Book', type: 'test.drop' }]), { 'test.drop': drop });
    expect(tokens(receipts)).toEqual(['reserve-seat:o0', 'reserve-seat:o2']);
  });

  test('when one claim gives several items: one receipt with all references', async () => {
    const seats = step(({ orderId }) => [
      { seatId: 1, id: `${orderId}-A` },
      { seatId: 2, id: `${orderId}-B` },
    ]);
    const { receipts, done } = await run(
      inARow([{ name: 'Book', type: 'test.seats' }]),
      { 'test.seats': seats },
      orders(2),
    );
    expect(receipts).toHaveLength(2);
    expect(receipts[0]).toMatchObject({ reference: 'o0-A', references: ['o0-A', 'o0-B'], outcome: 'confirmed' });
    expect(receipts[0].evidence.items).toHaveLength(2);
    expect(done.json('Receipt')).toHaveLength(4);
  });

  test('in each round of a loop', async () => {
    const definition: WorkflowDefinition = {
      nodes: [
        start(),
        { name: 'Loop', type: 'n8n-nodes-base.splitInBatches' },
        claimNode(),
        { name: 'Book', type: 'test.book' },
        receiptNode(),
      ],
      connections: connect({
        Start: [['Loop']],
        Loop: [[], ['Claim']],
        Claim: [['Book']],
        Book: [['Receipt']],
        Receipt: [['Loop']],
      }),
    };
    const { receipts, error } = await run(definition, { 'n8n-nodes-base.splitInBatches': loopOverItems });
    expect(error).toBeUndefined();
    expect(receipts.map(({ claimToken, reference }: Json) => [claimToken, reference])).toEqual([
      ['reserve-seat:o0', 'RSV-o0'],
      ['reserve-seat:o1', 'RSV-o1'],
      ['reserve-seat:o2', 'RSV-o2'],
    ]);
    const claimTokens = ledger.asked('/v1/claims').map(({ body }) => body.requestToken);
    expect(new Set(claimTokens).size).toBe(3);
  });

  test('of two in a row, the later one', async () => {
    const mail = {
      operationName: { __rl: true, mode: 'name', value: 'send-mail' },
      businessId: "={{ $('Start').item.json.orderId }}",
    };
    const definition: WorkflowDefinition = {
      nodes: [
        start(),
        claimNode(),
        { name: 'Book', type: 'test.book' },
        receiptNode(),
        claimNode('Claim Mail', { parameters: mail }),
        { name: 'Mail', type: 'test.mail' },
        receiptNode('Mail Receipt'),
      ],
      connections: connect({
        Start: [['Claim']],
        Claim: [['Book']],
        Book: [['Receipt']],
        Receipt: [['Claim Mail']],
        'Claim Mail': [['Mail']],
        Mail: [['Mail Receipt']],
      }),
    };
    const { receipts, error } = await run(
      definition,
      { 'test.mail': step((_, at) => ({ messageId: `<${at}>` })) },
      orders(2),
    );
    expect(error).toBeUndefined();
    expect(tokens(receipts)).toEqual(['reserve-seat:o0', 'reserve-seat:o1', 'send-mail:o0', 'send-mail:o1']);
  });

  test('of two branches that are merged by append, each item its own', async () => {
    const { receipts, error } = await run(merged('append'), { 'test.merge': mergeAppend }, orders(1));
    expect(error).toBeUndefined();
    expect(tokens(receipts).sort()).toEqual(['reserve-seat:o0', 'send-mail:o0']);
  });

  test('behind a Code node when the items still carry it', async () => {
    const reorder = code((items) => [...items].reverse().map((json) => ({ ...json, note: 'kept' })));
    const definition = inARow([{ name: 'Code', type: 'n8n-nodes-base.code' }], {
      parameters: { outcome: 'confirmed' },
    });
    const { error, receipts } = await run(definition, { 'n8n-nodes-base.code': reorder });
    expect(error?.message).toContain('another claim than the one it is paired with');
    // The one in the middle is where it was; the other two are not guessed.
    expect(tokens(receipts)).toEqual(['reserve-seat:o1']);
  });

  test('by token, in whatever order the items come', async () => {
    const reorder = code((items) => [...items].reverse());
    const definition = inARow([{ name: 'Code', type: 'n8n-nodes-base.code' }], {
      parameters: { claim: 'token', claimToken: '={{ $json.claim.claimToken }}', outcome: 'confirmed' },
    });
    const { receipts, error } = await run(definition, { 'n8n-nodes-base.code': reorder });
    expect(error).toBeUndefined();
    expect(tokens(receipts)).toEqual(['reserve-seat:o2', 'reserve-seat:o1', 'reserve-seat:o0']);
    expect(receipts[0].holder).toBeUndefined();
  });

  test('for all claims of the run when one result stands for them', async () => {
    const definition = inARow(
      [
        { name: 'Aggregate', type: 'test.aggregate' },
        { name: 'Book All', type: 'test.all' },
      ],
      {
        parameters: { options: { oneResultForSeveralClaims: true } },
      },
    );
    const { receipts, error } = await run(definition, {
      'test.aggregate': aggregate,
      'test.all': step(() => ({ id: 'BULK-1' })),
    });
    expect(error).toBeUndefined();
    expect(tokens(receipts)).toEqual(['reserve-seat:o0', 'reserve-seat:o1', 'reserve-seat:o2']);
    expect(references(receipts)).toEqual(['BULK-1', 'BULK-1', 'BULK-1']);
  });

  test('for all claims of this round of a loop only', async () => {
    const definition: WorkflowDefinition = {
      nodes: [
        start(),
        { name: 'Loop', type: 'n8n-nodes-base.splitInBatches' },
        claimNode(),
        { name: 'Book', type: 'test.book' },
        receiptNode('Receipt', { parameters: { options: { oneResultForSeveralClaims: true } } }),
      ],
      connections: connect({
        Start: [['Loop']],
        Loop: [[], ['Claim']],
        Claim: [['Book']],
        Book: [['Receipt']],
        Receipt: [['Loop']],
      }),
    };
    const { receipts } = await run(definition, { 'n8n-nodes-base.splitInBatches': loopOverItems });
    expect(tokens(receipts)).toEqual(['reserve-seat:o0', 'reserve-seat:o1', 'reserve-seat:o2']);
  });
});

function merged(kind: string): WorkflowDefinition {
  const mail = { operationName: { __rl: true, mode: 'name', value: 'send-mail' } };
  return {
    nodes: [
      start(),
      claimNode('Claim Seat'),
      claimNode('Claim Mail', { parameters: mail }),
      { name: 'Book', type: 'test.book' },
      { name: 'Mail', type: 'test.book' },
      { name: `Merge ${kind}`, type: 'test.merge' },
      receiptNode(),
    ],
    connections: connect({
      Start: [['Claim Seat', 'Claim Mail']],
      'Claim Seat': [['Book']],
      'Claim Mail': [['Mail']],
      Book: [[`Merge ${kind}`]],
      Mail: [[`Merge ${kind}#1`]],
      [`Merge ${kind}`]: [['Receipt']],
    }),
  };
}

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
