import type { INode, INodeType } from 'n8n-workflow';

import { composeReceipt } from '../../nodes/RecordReceipt/compose-receipts';
import { connect, Engine } from './engine';
import type { RunOptions, WorkflowDefinition } from './engine';
import { nodeFrom, noOp, step } from './helper-nodes';
import { claimNode, ledgerNode, ledgerNodeTypes, receiptNode, start } from './ledger-nodes';
import { agreeable, batch, ScriptedLedger } from './scripted-ledger';
import type { Json } from './json';

// The pauses between tries are right for people, not for tests.
jest.mock('n8n-workflow', () => {
  const actual = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
  return { ...actual, sleep: async (ms: number) => await actual.sleep(ms / 50) };
});

let ledger: ScriptedLedger;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
});
afterAll(() => ledger.stop());
beforeEach(() => ledger.answer(agreeable));

interface Setup {
  /** The steps between Claim and Receipt, by name, in a row; each with the node that does it. */
  steps: Array<{ name?: string; type?: string; does: INodeType; node?: Partial<INode> }>;
  receipt?: Partial<INode>;
  items?: Array<Record<string, unknown>>;
  run?: RunOptions;
}

async function record({ steps, receipt = {}, items = [{ orderId: '842', paid: true }], run = {} }: Setup) {
  const named = steps.map((one, at) => ({ name: `Step ${at + 1}`, type: `test.step${at + 1}`, ...one }));
  const nodes = named.map(({ name, type, node }) => ({
    name,
    type,
    typeVersion: 4.2,
    onError: 'continueErrorOutput' as const,
    ...node,
  }));
  const names = ['Start', 'Claim', ...named.map(({ name }) => name)];
  const definition: WorkflowDefinition = {
    nodes: [start(), claimNode(), ...nodes, receiptNode('Receipt', receipt)],
    connections: connect({
      ...Object.fromEntries(names.slice(0, -1).map((name, at) => [name, [[names[at + 1]!]]])),
      [names.at(-1)!]: [['Receipt'], ['Receipt']],
    }),
  };
  const engine = new Engine({
    nodeTypes: { ...ledgerNodeTypes, ...Object.fromEntries(named.map(({ type, does }) => [type, does])) },
    credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test' } },
  });
  const done = await engine.run(definition, { items, ...run });
  const receipts = ledger.asked('/v1/receipts').flatMap(({ body }) => body.receipts);
  const output = [0, 1, 2, 3].find((at) => done.json('Receipt', at).length > 0);
  return {
    done,
    receipts,
    receipt: receipts[0],
    output,
    item: output === undefined ? undefined : done.json('Receipt', output)[0],
  };
}

const book = step(() => ({ reservationId: 'RSV-219', status: 'booked' }));
const throws = nodeFrom(() => {
  throw new Error('socket hang up');
});
const httpRequest = 'n8n-nodes-base.httpRequest';

describe('the Success output lies', () => {
  test.each(['continueErrorOutput', 'continueRegularOutput'] as const)(
    'a step that throws under %s hands its input on: unknown',
    async (onError) => {
      const { receipt, output } = await record({ steps: [{ does: throws, node: { onError } }] });
      expect(receipt.outcome).toBe('unknown');
      expect(output).toBe(2);
    },
  );

  test('also when a node behind it removed the claim', async () => {
    const strip = step(({ orderId }) => ({ orderId }));
    const { receipt } = await record({ steps: [{ does: throws }, { does: strip }] });
    expect(receipt.outcome).toBe('unknown');
  });

  test("also when the input was an earlier step's result", async () => {
    const lookUp = step(() => ({ customerId: 'cus_1' }));
    const { receipt } = await record({ steps: [{ does: lookUp }, { does: throws }] });
    expect(receipt.outcome).toBe('unknown');
    expect(receipt.cause).toMatch(/failed|passed on/);
  });

  test('and where n8n would not show the run data, the item alone gives it away', async () => {
    const lookUp = step(() => ({ customerId: 'cus_1' }));
    const passesOn = step((json) => json);
    const { receipt } = await record({ steps: [{ does: lookUp }, { does: passesOn }] });
    expect(receipt).toMatchObject({ outcome: 'unknown', cause: expect.stringContaining('passed on') });
  });

  test('also when a node behind it made something new of the input: the run data tell', async () => {
    const stamp = step(() => ({ stamped: 'by a Set node' }));
    const { receipt } = await record({ steps: [{ does: throws }, { does: stamp }] });
    expect(receipt).toMatchObject({ outcome: 'unknown', cause: expect.stringContaining('run data') });
  });

  test('a disabled step hands its input on: unknown', async () => {
    const { receipt } = await record({ steps: [{ does: book, node: { disabled: true } }] });
    expect(receipt).toMatchObject({ outcome: 'unknown', cause: expect.stringContaining('still carries the claim') });
  });
});

describe('a result is evidence', () => {
  test("when it is the step's own: confirmed, with its reference and evidence", async () => {
    const { receipt, output, item, done } = await record({
      steps: [{ does: step(() => ({ id: 219, status: 'booked', token: 'x' })) }],
    });
    expect(output).toBe(0);
    expect(receipt).toMatchObject({
      claimToken: 'token-842',
      outcome: 'confirmed',
      reference: '219',
      evidence: { id: 219, status: 'booked', token: '***' },
      holder: { kind: 'n8n', executionId: done.executionId },
    });
    expect(item).toMatchObject({
      id: 219,
      receipt: { outcome: 'confirmed', result: 'recorded', state: 'confirmed', reference: '219' },
    });
    expect(ledger.asked('/v1/executions/ended')).toEqual([]);
  });

  test('also behind nodes that only pass items on', async () => {
    const { receipt } = await record({ steps: [{ does: book }, { does: noOp, type: 'n8n-nodes-base.if' }] });
    expect(receipt.outcome).toBe('confirmed');
  });

  test.each([
    ['nothing in it is new', { order: '842', was: true }, { orderId: '842', was: true }, 'Nothing in the item is new'],
    ['success is false', { success: false, id: 1 }, undefined, 'success is false'],
    ['the statusCode is 302', { statusCode: 302, body: { id: 1 } }, undefined, 'not a success'],
    ['the statusCode is no status', { statusCode: 'OK', id: 1 }, undefined, 'not a success'],
    ['the body of a full response says no', { statusCode: 200, body: { ok: false } }, undefined, 'ok is false'],
  ])('not when %s', async (_, result, input, reason) => {
    const items = input === undefined ? undefined : [input];
    const { receipt } = await record({ steps: [{ does: step(() => result) }], items });
    expect(receipt.outcome).toBe('unknown');
    expect(receipt.cause).toContain(reason);
  });

  test("not when the chosen reference was in the claim's own item already", async () => {
    const { receipt } = await record({
      steps: [{ does: step(({ orderId }) => ({ order: orderId, at: '2026-10-20' })) }],
      receipt: { parameters: { reference: '={{ $json.order }}' } },
    });
    expect(receipt).toMatchObject({ outcome: 'unknown', cause: expect.stringContaining('reference was in') });
  });

  test("a proposed reference is never the workflow's own ID", async () => {
    const { receipt } = await record({
      steps: [{ does: step(({ orderId }) => ({ id: orderId, data: { reference: 'RSV-7' } })) }],
    });
    expect(receipt).toMatchObject({ outcome: 'confirmed', reference: 'RSV-7' });
  });

  test('not when the step was pinned', async () => {
    const pinData = { 'Step 1': [{ json: { reservationId: 'RSV-OLD' } }] };
    const { receipt } = await record({ steps: [{ does: book }], run: { mode: 'manual', pinData } });
    expect(receipt).toMatchObject({ outcome: 'unknown', cause: 'pinned_data' });
  });

  test('not even when the builder chose Confirmed for a pinned step', async () => {
    const pinData = { 'Step 1': [{ json: { reservationId: 'RSV-OLD' } }] };
    const receiptParameters = { parameters: { outcome: 'confirmed' } };
    const { receipt } = await record({
      steps: [{ does: book }],
      receipt: receiptParameters,
      run: { mode: 'manual', pinData },
    });
    expect(receipt).toMatchObject({ outcome: 'unknown', cause: 'pinned_data' });
  });

  describe('of an HTTP Request with Never Error', () => {
    const node = { parameters: { options: { response: { response: { neverError: true } } } } };
    test('not without a status', async () => {
      const { receipt } = await record({ steps: [{ does: book, type: httpRequest, node }] });
      expect(receipt).toMatchObject({ outcome: 'unknown', cause: expect.stringContaining('Never Error') });
    });
    test('with a 2xx statusCode', async () => {
      const full = step(() => ({ statusCode: 201, headers: {}, body: { id: 'RSV-1' } }));
      const { receipt } = await record({ steps: [{ does: full, type: httpRequest, node }] });
      expect(receipt).toMatchObject({ outcome: 'confirmed', reference: 'RSV-1' });
    });
    test('not with a 404 statusCode, unless a rule says what it means', async () => {
      const full = step(() => ({ statusCode: 404, headers: {}, body: { message: 'no such class' } }));
      const { receipt } = await record({ steps: [{ does: full, type: httpRequest, node }] });
      expect(receipt.outcome).toBe('unknown');
    });
  });
});

describe('a refusal is evidence', () => {
  const refused = step(() => ({
    error: { message: '404', status: 404, code: 'ERR_BAD_REQUEST', stack: 'at secret/path' },
  }));
  const noRedirects = { parameters: { options: { redirect: { redirect: { followRedirects: false } } } } };

  test('from the one step: failed, without its stack', async () => {
    const { receipt, output, item } = await record({
      steps: [{ does: refused, type: httpRequest, node: noRedirects }],
    });
    expect(receipt).toMatchObject({ outcome: 'failed', cause: expect.stringContaining('status 404') });
    expect(JSON.stringify(receipt)).not.toContain('secret/path');
    expect(output).toBe(1);
    // n8n merged the claim's item in; the receipt keeps what the step said.
    expect(receipt.evidence).toMatchObject({ orderId: '842', error: { status: 404 } });
    expect(receipt.evidence.claim).toBeUndefined();
    expect(item!.receipt.state).toBe('failed');
  });

  test.each([
    ['with redirects followed, as by default', {}],
    [
      'with redirects by an expression',
      { parameters: { options: { redirect: { redirect: { followRedirects: '={{ false }}' } } } } },
    ],
    [
      'with pagination',
      {
        parameters: {
          options: {
            ...noRedirects.parameters.options,
            pagination: { pagination: { paginationMode: 'updateAParameterInEachRequest' } },
          },
        },
      },
    ],
  ])('not %s, whatever the builder states', async (_, node) => {
    const parameters = { options: { stepTriesOnce: true } };
    const { receipt } = await record({ steps: [{ does: refused, type: httpRequest, node }], receipt: { parameters } });
    expect(receipt.outcome).toBe('unknown');
  });

  test('not with several steps between', async () => {
    const steps = [
      { does: step((json) => ({ ...json, more: 1 })) },
      { does: refused, type: httpRequest, node: noRedirects },
    ];
    const { receipt } = await record({ steps });
    expect(receipt).toMatchObject({ outcome: 'unknown', cause: expect.stringContaining('several steps') });
  });

  test('not when the error was in the item before the claim', async () => {
    const { receipt } = await record({
      steps: [{ does: step(({ error }) => ({ error })), type: httpRequest, node: noRedirects }],
      items: [{ orderId: '1', error: { status: 404 } }],
    });
    expect(receipt).toMatchObject({ outcome: 'unknown', cause: expect.stringContaining('before the claim') });
  });

  describe("by the builder's own rules", () => {
    const answers = (status: number) => step(() => ({ error: { message: 'no', status } }));
    const rules = {
      options: {
        statusRules: {
          rules: [
            { status: '402, 409', outcome: 'failed' },
            { status: '208', outcome: 'confirmed' },
            { status: '404', outcome: 'unknown' },
          ],
        },
      },
    };
    test.each([
      [402, 'failed'],
      [409, 'failed'],
      [208, 'confirmed'],
      [404, 'unknown'],
      [422, 'failed'],
      [500, 'unknown'],
    ])('status %i means %s', async (status, outcome) => {
      const { receipt } = await record({
        steps: [{ does: answers(status), type: httpRequest, node: noRedirects }],
        receipt: { parameters: rules },
      });
      expect(receipt.outcome).toBe(outcome);
    });
    test('but a rule cannot make a repeated step judgeable', async () => {
      const node = { ...noRedirects, retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
      const { receipt } = await record({
        steps: [{ does: answers(402), type: httpRequest, node }],
        receipt: { parameters: rules },
      });
      expect(receipt.outcome).toBe('unknown');
    });
    test('a rule without a status is refused', async () => {
      const wrong = { options: { statusRules: { rules: [{ status: '4xx', outcome: 'failed' }] } } };
      const { receipts, done } = await record({ steps: [{ does: book }], receipt: { parameters: wrong } });
      expect(receipts).toEqual([]);
      expect(done.error?.message).toContain('"4xx" in the Status Rules');
    });
  });

  test('not when the step gave another result for the same claim, on whatever output', async () => {
    const some = step(() => [{ id: 'RSV-1' }, { error: { status: 404 } }]);
    const { receipts } = await record({ steps: [{ does: some, type: httpRequest, node: noRedirects }] });
    // The two leave on two outputs, so Record Receipt runs twice.
    expect(receipts.map(({ outcome }: Json) => outcome).sort()).toEqual(['confirmed', 'unknown']);
    expect(receipts.find(({ outcome }: Json) => outcome === 'unknown').cause).toContain(
      'other results for the same claim',
    );
  });

  test('of only some items on one output it makes the whole unknown', async () => {
    const some = step(() => [
      { id: 'RSV-1', x: 1 },
      { id: 'RSV-2', x: 2, error: { status: 404 } },
    ]);
    const { receipts } = await record({ steps: [{ does: some, type: httpRequest, node: noRedirects }] });
    expect(receipts).toHaveLength(1);
    expect(receipts[0]).toMatchObject({ outcome: 'unknown', reference: 'RSV-1' });
  });
});

test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
  'an error that nobody foresaw leaves nothing on Confirmed under %s',
  async (onError) => {
    // A field that cannot be read the first time, which is when Record Receipt makes its output.
    let reads = 0;
    const trap = () => {
      reads += 1;
      if (reads === 1) throw new Error('sprung');
    };
    const trapped = step(() => Object.defineProperty({ id: 1 }, 'trap', { enumerable: true, get: trap }));
    const { done } = await record({
      steps: [{ does: trapped }],
      receipt: { onError, parameters: { outcome: 'confirmed', evidence: 'none', reference: 'R' } },
    });
    expect(reads).toBeGreaterThan(0);
    expect(done.json('Receipt', 0)).toEqual([]);
    expect(done.output('Receipt', 2).length + done.output('Receipt', 3).length).toBe(1);
  },
);

test('Always Output Data puts nothing on Confirmed', async () => {
  const { done, output } = await record({ steps: [{ does: throws }], receipt: { alwaysOutputData: true } });
  expect(output).toBe(2);
  expect(done.json('Receipt', 0)).toEqual([]);
});

test.each(['confirmed', 'failed', 'unknown'])('the builder can choose %s', async (outcome) => {
  const parameters = { outcome, reference: 'REF', evidence: 'none', options: { cause: 'seen by eye' } };
  const { receipt } = await record({ steps: [{ does: book }], receipt: { parameters } });
  expect(receipt).toMatchObject({ outcome, reference: 'REF', cause: 'seen by eye' });
  expect(receipt.evidence).toBeUndefined();
});

test('what happened for a part of one claim and failed for another is unknown, with all references', () => {
  const part = (itemIndex: number, outcome: 'confirmed' | 'failed', reference: string) => ({
    itemIndex,
    decided: { outcome, reason: outcome, cause: '' },
    reference,
    evidence: undefined,
    cause: '',
  });
  const { receipt } = composeReceipt(
    'token',
    [part(0, 'confirmed', 'A'), part(1, 'failed', ''), part(2, 'confirmed', 'B')],
    undefined,
  );
  expect(receipt).toMatchObject({ outcome: 'unknown', reference: 'A', references: ['A', 'B'] });
  expect(receipt.cause).toContain('2 happened and 1 did not');
  const many = Array.from({ length: 150 }, (_, at) => part(at, 'confirmed', `R${at}`));
  expect(composeReceipt('token', many, undefined).receipt.references).toHaveLength(100);
});

test('evidence of chosen fields', async () => {
  const parameters = { evidence: 'fields', evidenceFields: 'status, seats.0, missing' };
  const { receipt } = await record({
    steps: [{ does: step(() => ({ id: 1, status: 'ok', seats: ['A1', 'A2'] })) }],
    receipt: { parameters },
  });
  expect(receipt.evidence).toEqual({ status: 'ok', 'seats.0': 'A1' });
});

describe('what the ledger makes of it', () => {
  const answering = (answer: object) =>
    ledger.answer((received, earlier) =>
      received.path === '/v1/receipts' ? batch(received.body.receipts.map(() => answer)) : agreeable(received, earlier),
    );
  const base = {
    result: 'recorded',
    reason: 'r',
    late: false,
    replayed: false,
    contradiction: null,
    actionId: 'a',
    actionKey: 'k',
    attempt: 1,
    historySeq: 3,
  };
  const refused = step(() => ({ error: { status: 404 } }));
  const refusedStep = {
    does: refused,
    type: httpRequest,
    node: { parameters: { options: { redirect: { redirect: {} } } } },
  };

  test('failed that became unknown leaves on Unknown', async () => {
    answering({ ...base, state: 'unknown', contradiction: 'repeated_by_retry' });
    const { output, item } = await record({ steps: [refusedStep] });
    expect(output).toBe(2);
    expect(item!.receipt).toMatchObject({ outcome: 'failed', state: 'unknown', contradiction: 'repeated_by_retry' });
  });

  test('failed against a confirmed action leaves on Unknown', async () => {
    answering({ ...base, result: 'contradiction', state: 'confirmed', contradiction: 'failed_after_confirmed' });
    expect((await record({ steps: [refusedStep] })).output).toBe(2);
  });

  test('confirmed stays confirmed, also as a contradiction', async () => {
    answering({ ...base, result: 'contradiction', state: 'confirmed', contradiction: 'another_reference' });
    expect((await record({ steps: [{ does: book }] })).output).toBe(0);
  });

  test('an unknown token is an error in the words of the service', async () => {
    answering({
      error: { code: 'claim_token_unknown', title: 'No claim has this token', status: 404, hint: 'Check it.' },
    });
    const { done } = await record({ steps: [{ does: book }] });
    expect(done.error).toMatchObject({ message: 'No claim has this token', httpCode: '404' });
    // The claim is still held: the end of the execution makes it unknown.
    expect(ledger.asked('/v1/executions/ended')).toHaveLength(1);
  });

  test('a ledger that does not answer is asked again until it does', async () => {
    ledger.answer((received, earlier) =>
      received.path === '/v1/receipts' && earlier < 2
        ? earlier === 0
          ? 'reset'
          : { status: 503, body: {} }
        : agreeable(received, earlier),
    );
    const { output } = await record({ steps: [{ does: book }] });
    expect(output).toBe(0);
    expect(ledger.asked('/v1/receipts')).toHaveLength(3);
  });

  test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
    'a ledger that never answers: nothing leaves on Confirmed under %s',
    async (onError) => {
      ledger.answer((received, earlier) =>
        received.path === '/v1/receipts' ? { status: 503, body: {} } : agreeable(received, earlier),
      );
      const { done } = await record({ steps: [{ does: book }], receipt: { onError } });
      expect(done.json('Receipt', 0)).toEqual([]);
      if (onError === 'stopWorkflow') {
        expect(done.error?.description).toContain('nothing repeats it');
      } else {
        const [item] = done.json('Receipt', onError === 'continueErrorOutput' ? 3 : 2);
        expect(item!.error.description).toContain('nothing repeats it');
      }
      expect(ledger.asked('/v1/receipts').length).toBeGreaterThan(4);
      expect(ledger.asked('/v1/executions/ended')).toHaveLength(1);
    },
    30_000,
  );
});

describe('a crashed execution', () => {
  const errorTrigger = {
    execution: { id: '231', error: { message: 'crashed' } },
    workflow: { id: 'wf-1', name: 'Booking' },
  };
  const definition = (more = {}): WorkflowDefinition => ({
    nodes: [start(), ledgerNode('Receipt', 'recordReceipt', { recordFor: 'crashedExecution' }, more)],
    connections: connect({ Start: [['Receipt']] }),
  });
  const engine = () =>
    new Engine({ nodeTypes: ledgerNodeTypes, credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test' } } });

  test('of this instance: the ledger makes unknown what it still holds', async () => {
    const abandoned = [{ actionId: 'a', actionKey: 'default:842:reserve-seat', state: 'unknown' }];
    ledger.answer((received, earlier) =>
      received.path === '/v1/executions/ended'
        ? { status: 200, body: { ledgerId: 'l', abandoned } }
        : agreeable(received, earlier),
    );
    const done = await engine().run(definition(), { items: [errorTrigger] });
    expect(ledger.asked('/v1/executions/ended')[0]!.body).toEqual({
      holder: { kind: 'n8n', instanceId: expect.any(String), workflowId: 'wf-1', executionId: '231' },
      cause: 'execution_crashed',
    });
    expect(done.json('Receipt', 2)[0]).toMatchObject({
      crashedExecution: { executionId: '231', abandoned },
      workflow: { name: 'Booking' },
    });
  });

  test('without an execution ID there is nothing to record', async () => {
    const done = await engine().run(definition(), {
      items: [{ trigger: { mode: 'trigger' }, workflow: { id: 'wf-1' } }],
    });
    expect(done.error?.message).toBe('The Execution ID is empty');
    const going = await engine().run(definition({ onError: 'continueRegularOutput' }), {
      items: [{ workflow: { id: 'wf-1' } }],
    });
    expect(going.json('Receipt', 2)[0]).toMatchObject({ error: { message: 'The Execution ID is empty' } });
    expect(ledger.asked('/v1/executions/ended')).toEqual([]);
  });
});
