import { Engine } from './engine';
import type { RunOptions, WorkflowDefinition } from './engine';
import { engineFor, guarded } from './claim-workflow';
import { agreeable, ScriptedLedger } from './scripted-ledger';

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

describe('the request token', () => {
  test("is the same for a transport retry, so that the ledger's lost answer is given again", async () => {
    ledger.answer((received, earlier) =>
      received.path === '/v1/claims' && earlier === 0 ? 'reset' : agreeable(received, earlier),
    );
    const done = await run(guarded(), { items: [{ orderId: 'a' }] });
    const tokens = ledger.asked('/v1/claims').map(({ body }) => body.requestToken);
    expect(tokens).toHaveLength(2);
    expect(tokens[0]).toBe(tokens[1]);
    expect(done.json('Proceed')).toHaveLength(1);
  });

  test("is the same for n8n's own Retry On Fail", async () => {
    // n8n takes an item with `error` on the first output for a failure and runs the node again.
    await run(guarded({}, { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 }), {
      items: [{ orderId: 'a', error: 'an old one' }],
    });
    const tokens = ledger.asked('/v1/claims').map(({ body }) => body.requestToken);
    expect(tokens).toHaveLength(3);
    expect(new Set(tokens).size).toBe(1);
  });

  test('is another one after the claims were given back', async () => {
    ledger.answer((received, earlier) =>
      received.path === '/v1/claims' && earlier < 3 ? 'reset' : agreeable(received, earlier),
    );
    const done = await run(guarded({}, { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 }), {
      items: [{ orderId: 'a' }],
    });
    const tokens = ledger.asked('/v1/claims').map(({ body }) => body.requestToken);
    expect(tokens).toHaveLength(4);
    expect(new Set(tokens.slice(0, 3)).size).toBe(1);
    expect(tokens[3]).not.toBe(tokens[0]);
    expect(ledger.asked('/v1/releases')[0]!.body.releases[0]).toMatchObject({ requestToken: tokens[0], position: 0 });
    expect(done.json('Proceed')).toHaveLength(1);
  });

  test('is another one for each execution, for a manual Retry and for each round of a loop', async () => {
    const definition = guarded({}, { onError: 'stopWorkflow' });
    ledger.answer((received, earlier) =>
      received.path === '/v1/claims' && earlier === 0
        ? { status: 400, body: { code: 'invalid', title: 'Not this time', status: 400 } }
        : agreeable(received, earlier),
    );
    const failed = await run(definition, { items: [{ orderId: 'a' }] });
    expect(failed.error?.message).toBe('Not this time');
    const retried = await engine.retry(failed, definition);
    expect(retried.json('Proceed')).toHaveLength(1);
    await run(definition, { items: [{ orderId: 'a' }] });
    const tokens = ledger.asked('/v1/claims').map(({ body }) => body.requestToken);
    expect(new Set(tokens).size).toBe(3);
  });
});
