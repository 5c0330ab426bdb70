import type { INodeType } from 'n8n-workflow';

import { connect } from './engine';
import type { WorkflowDefinition } from './engine';
import { aggregate, code, loopOverItems, mergeAppend, step } from './helper-nodes';
import type { Json } from './json';
import { claimNode, receiptNode, start } from './ledger-nodes';
import { inARow, merged, orders, references, tokenPerOperation, tokens, trace } from './lineage-workflow';
import { ScriptedLedger } from './scripted-ledger';

let ledger: ScriptedLedger;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
});
afterAll(() => ledger.stop());
beforeEach(() => ledger.answer(tokenPerOperation));

const run = (definition: WorkflowDefinition, nodeTypes: Record<string, INodeType>, items = orders(3)) =>
  trace(ledger, definition, nodeTypes, items);

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
