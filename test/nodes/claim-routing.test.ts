import { Engine } from './engine';
import type { RunOptions, WorkflowDefinition } from './engine';
import { claimsAnswered, engineFor, guarded } from './claim-workflow';
import { nodeFrom, noOp } from './helper-nodes';
import { ledgerNodeTypes } from './ledger-nodes';
import type { Json } from './json';
import { agreeable, batch, held, LEDGER_ID, proceed, ScriptedLedger } from './scripted-ledger';

// The pauses between tries are right for people, not for tests.
jest.mock('n8n-workflow', () => {
  const actual = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
  return { ...actual, sleep: async (ms: number) => await actual.sleep(ms / 50) };
});

let ledger: ScriptedLedger;
let engine: Engine;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
});
afterAll(() => ledger.stop());
beforeEach(() => {
  ledger.answer(agreeable);
  engine = engineFor(ledger);
});

const run = (definition: WorkflowDefinition, options: RunOptions) => engine.run(definition, options);

describe('where items go', () => {
  const decisions = ['already_done', 'in_progress', 'unknown', 'failed', 'stale', 'mismatch', 'too_old'];

  test('each decision has its output, with the input, its pairing and its claim', async () => {
    ledger.answer(claimsAnswered((claim, at) => (at === 0 ? proceed(claim) : held(claim, decisions[at - 1]!))));
    const items = ['proceed', ...decisions].map((orderId) => ({ orderId, kept: true }));
    const done = await run(guarded(), { items });

    expect(done.json('Claim', 0).map(({ orderId }) => orderId)).toEqual(['proceed']);
    expect(done.json('Claim', 1).map(({ orderId }) => orderId)).toEqual(['already_done']);
    expect(done.json('Claim', 2).map(({ orderId }) => orderId)).toEqual(decisions.slice(1));
    const all = [0, 1, 2].flatMap((output) => done.output('Claim', output));
    for (const { json, pairedItem } of all) {
      expect(json.kept).toBe(true);
      expect(pairedItem).toEqual({ item: items.findIndex(({ orderId }) => orderId === json.orderId) });
    }
    expect(done.json('Claim', 0)[0]!.claim).toMatchObject({ decision: 'proceed', claimToken: 'token-proceed' });
    expect(done.json('Claim', 2).every(({ claim }) => claim.claimToken === null)).toBe(true);
  });

  test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'])(
    'Always Output Data puts nothing on Proceed under %s',
    async (onError) => {
      ledger.answer(claimsAnswered((claim) => held(claim, 'unknown')));
      const done = await run(guarded({}, { alwaysOutputData: true, onError }), { items: [{ orderId: 'a' }] });
      expect(done.wasExecuted('Proceed')).toBe(false);
      expect(done.json('Hold')).toHaveLength(1);
      expect(done.hints('Claim').join()).toContain('Always Output Data');

      ledger.answer(() => ({ status: 401, body: {} }));
      const failed = await run(guarded({}, { alwaysOutputData: true, onError }), { items: [{ orderId: 'a' }] });
      expect(failed.wasExecuted('Proceed')).toBe(false);
    },
  );

  test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'])(
    'an error that nobody foresaw lets nothing through under %s, and gives back what was granted',
    async (onError) => {
      // A field that cannot be read the first time, which is when Claim Action makes its output.
      let reads = 0;
      const trap = () => {
        reads += 1;
        if (reads === 1) throw new Error('sprung');
      };
      const json = Object.defineProperty({ orderId: 'a' }, 'trap', { enumerable: true, get: trap });
      const breaking = new Engine({
        nodeTypes: { ...ledgerNodeTypes, 'test.step': noOp, 'test.start': nodeFrom(() => [[{ json }]]) },
        credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test' } },
      });
      const done = await breaking.run(guarded({}, { onError }), { items: [{}] });
      expect(done.wasExecuted('Proceed')).toBe(false);
      expect(ledger.asked('/v1/releases')[0]!.body.releases).toEqual([{ claimToken: 'token-a' }]);
      if (onError === 'stopWorkflow') expect(done.error?.message).toBe('sprung');
      else expect(done.output('Claim', 2).length + done.output('Claim', 3).length).toBe(1);
    },
  );

  test('a decision that this version does not know is held', async () => {
    ledger.answer(claimsAnswered((claim) => held(claim, 'sold_out')));
    const done = await run(guarded(), { items: [{ orderId: 'a' }] });
    expect(done.json('Hold')).toHaveLength(1);
  });

  test('two permissions for one key are not understood, and given back', async () => {
    ledger.answer(claimsAnswered((claim, at) => proceed(claim, `token-${at}`)));
    const done = await run(guarded(), { items: [{ orderId: 'same' }, { orderId: 'same' }] });
    expect(done.error?.message).toContain('does not understand');
    expect(done.wasExecuted('Proceed')).toBe(false);
    expect(ledger.asked('/v1/releases')[0]!.body.releases).toContainEqual({ claimToken: 'token-0' });
  });

  test('what a test run did is said when it is the reason', async () => {
    const receipt = {
      outcome: 'confirmed',
      reference: 'R',
      references: ['R'],
      attempt: 1,
      recordedAt: '2026-10-20T03:00:00Z',
      testRun: true,
    };
    ledger.answer(claimsAnswered((claim) => held(claim, 'already_done', { receipt, reason: 'It was done.' })));
    const done = await run(guarded(), { items: [{ orderId: 'a' }] });
    expect(done.json('Already Done')[0]!.claim.reason).toBe(
      'It was done. It was done by your test run at 2026-10-20T03:00:00Z.',
    );
  });

  test('an answer that took more than half of its lease is given back and held', async () => {
    ledger.answer(async (received, earlier) => {
      if (received.path !== '/v1/claims') return agreeable(received, earlier);
      await new Promise((resolve) => setTimeout(resolve, 120));
      return batch(
        received.body.claims.map((claim: Json, at: number) => ({
          ...proceed(claim),
          leaseMs: at === 0 ? 200 : 60_000,
        })),
      );
    });
    const done = await run(guarded(), { items: [{ orderId: 'short' }, { orderId: 'long' }] });
    expect(done.json('Proceed').map(({ orderId }) => orderId)).toEqual(['long']);
    expect(done.json('Hold')[0]!.claim).toMatchObject({
      decision: 'late_answer',
      claimToken: null,
      idempotencyKey: null,
    });
    expect(ledger.asked('/v1/releases')[0]!.body.releases).toEqual([{ claimToken: 'token-short' }]);
  });
});

describe('a permission that was waited for', () => {
  /** One item whose permission comes after 300 ms, with a lease that is half over after 200 ms. */
  const afterWaiting = async (waitedMs: unknown, waitSeconds = 5) => {
    ledger.answer(async (received, earlier) => {
      if (received.path !== '/v1/claims') return agreeable(received, earlier);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const results = received.body.claims.map((claim: Json) => ({ ...proceed(claim), leaseMs: 400 }));
      return { status: 200, body: { ledgerId: LEDGER_ID, results, waitedMs } };
    });
    return await run(guarded({ options: { waitSeconds } }), { items: [{ orderId: 'a' }] });
  };

  test.each([290, 60_000])('is used when the lease began only at the end of it: %p ms waited', async (waitedMs) => {
    const done = await afterWaiting(waitedMs);
    expect(done.json('Proceed')).toHaveLength(1);
    expect(ledger.asked('/v1/releases')).toEqual([]);
  });

  test.each([
    ['nothing was waited', undefined, 5],
    ['the wait was short', 10, 5],
    ['more was waited than was asked', 290, 0.02],
    ['no wait was asked', 290, 0],
    ['the wait is text', '290', 5],
    ['the wait is negative', -290, 5],
    ['the wait is null', null, 5],
  ])('is late when %s', async (_, waitedMs, waitSeconds) => {
    const done = await afterWaiting(waitedMs, waitSeconds);
    expect(done.wasExecuted('Proceed')).toBe(false);
    expect(done.json('Hold')[0]!.claim).toMatchObject({ decision: 'late_answer', claimToken: null });
    expect(ledger.asked('/v1/releases')[0]!.body.releases).toEqual([{ claimToken: 'token-a' }]);
  });
});

test('a key is compared in its written form', async () => {
  const options = { account: '50%:shop', version: 3 };
  const done = await run(guarded({ options }), { items: [{ orderId: ' Cafe\u0301:7 ' }] });
  expect(done.json('Proceed')[0]!.claim.actionKey).toBe('50%25%3Ashop:Caf\u00e9%3A7:reserve-seat:v3');
});

describe('an item that the ledger refuses', () => {
  const problem = {
    code: 'invalid_key',
    title: 'The subject is too long',
    detail: 'It has 300 bytes.',
    field: 'subject',
    hint: 'Use at most 200.',
    status: 422,
  };
  const oneRefused = claimsAnswered((claim, at) => (at === 1 ? { error: problem } : proceed(claim)));
  const items = [{ orderId: 'a' }, { orderId: 'b' }, { orderId: 'c' }];

  test('stops the node in the words of the service, and the others are given back', async () => {
    ledger.answer(oneRefused);
    const done = await run(guarded(), { items });
    expect(done.error).toMatchObject({ message: 'The subject is too long', httpCode: '422' });
    expect(done.error?.description).toContain('Field: subject. Use at most 200.');
    expect(done.error?.context.itemIndex).toBe(1);
    const released = ledger.asked('/v1/releases')[0]!.body.releases;
    expect(released).toEqual([{ claimToken: 'token-a' }, { claimToken: 'token-c' }]);
    expect(done.wasExecuted('Proceed')).toBe(false);
  });

  test('leaves alone when the node continues on errors', async () => {
    ledger.answer(oneRefused);
    const done = await run(guarded({}, { onError: 'continueErrorOutput' }), { items });
    expect(done.json('Proceed').map(({ orderId }) => orderId)).toEqual(['a', 'c']);
    expect(done.json('Claim', 3)[0]).toMatchObject({
      orderId: 'b',
      error: { code: 'invalid_key', message: problem.title },
    });
    expect(ledger.asked('/v1/releases')).toEqual([]);
  });

  test('an item without a Business ID leaves alone, too', async () => {
    const done = await run(guarded({}, { onError: 'continueErrorOutput' }), {
      items: [{ orderId: 'a' }, {}, { orderId: 'c' }],
    });
    expect(done.json('Proceed').map(({ orderId }) => orderId)).toEqual(['a', 'c']);
    expect(done.json('Claim', 3)).toHaveLength(1);
    expect(done.output('Claim', 3)[0]!.pairedItem).toMatchObject({ item: 1 });
  });
});
