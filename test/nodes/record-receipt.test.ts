import { composeReceipt } from '../../nodes/RecordReceipt/compose-receipts';
import { step } from './helper-nodes';
import { book, httpRequest, recordWith, throws } from './receipt-workflow';
import type { Setup } from './receipt-workflow';
import { agreeable, batch, ScriptedLedger } from './scripted-ledger';

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

const record = (setup: Setup) => recordWith(ledger, setup);

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
