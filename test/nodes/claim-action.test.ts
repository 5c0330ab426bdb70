import { connect, Engine } from './engine';
import type { RunOptions, WorkflowDefinition } from './engine';
import { nodeFrom, noOp } from './helper-nodes';
import { claimNode, ledgerNodeTypes, start } from './ledger-nodes';
import { agreeable, batch, held, proceed, ScriptedLedger } from './scripted-ledger';
import type { Script } from './scripted-ledger';
import type { Json } from './json';

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
  engine = new Engine({
    nodeTypes: { ...ledgerNodeTypes, 'test.step': noOp },
    credentials: { ledger: { baseUrl: `${ledger.url}/`, apiKey: 'al_test', ledgerId: '' } },
  });
});

/** The claims are answered one by one; everything else as by a ledger in good order. */
function claimsAnswered(answer: (claim: Json, position: number) => unknown): Script {
  return (received, earlier) =>
    received.path === '/v1/claims' ? batch(received.body.claims.map(answer)) : agreeable(received, earlier);
}

function guarded(parameters: Record<string, unknown> = {}, more: Record<string, unknown> = {}): WorkflowDefinition {
  return {
    nodes: [
      start(),
      claimNode('Claim', { ...more, parameters: parameters as never }),
      { name: 'Proceed', type: 'test.step', onError: 'continueErrorOutput' },
      { name: 'Already Done', type: 'test.step' },
      { name: 'Hold', type: 'test.step' },
    ],
    connections: connect({ Start: [['Claim']], Claim: [['Proceed'], ['Already Done'], ['Hold']] }),
  };
}

const run = (definition: WorkflowDefinition, options: RunOptions) => engine.run(definition, options);

describe('what is asked', () => {
  test('all items in one request, in order, with who asks', async () => {
    const items = [{ orderId: 'a' }, { orderId: 7 }, { orderId: ' c ' }];
    await run(guarded(), { items, executionId: '4711', workflowId: 'wf-9' });

    const [request, ...others] = ledger.asked('/v1/claims');
    expect(others).toEqual([]);
    expect(request!.headers.authorization).toBe('Bearer al_test');
    expect(request!.body.waitMs).toBe(0);
    expect(request!.body.requestToken).toMatch(/^[0-9a-f-]{36}$/);
    expect(request!.body.claims.map(({ subject }: Json) => subject)).toEqual(['a', '7', 'c']);
    expect(request!.body.claims[0]).toEqual({
      subject: 'a',
      operation: 'reserve-seat',
      holder: {
        kind: 'n8n',
        instanceId: expect.stringMatching(/^[0-9a-f]{16,}$/),
        workflowId: 'wf-9',
        executionId: '4711',
        mode: 'webhook',
        node: 'Claim',
        sendsIdempotencyKey: false,
      },
    });
  });

  test('1,200 items in calls of 500, each with its own request token', async () => {
    const items = Array.from({ length: 1_200 }, (_, index) => ({ orderId: `o-${index}` }));
    const done = await run(guarded(), { items });
    const calls = ledger.asked('/v1/claims').map(({ body }) => body);
    expect(calls.map(({ claims }) => claims.length)).toEqual([500, 500, 200]);
    expect(new Set(calls.map(({ requestToken }) => requestToken)).size).toBe(3);
    expect(done.json('Proceed')).toHaveLength(1_200);
  });

  test('waiting ends where something was granted: its lease is running', async () => {
    const items = Array.from({ length: 600 }, (_, index) => ({ orderId: `o-${index}` }));
    await run(guarded({ options: { waitSeconds: 20 } }), { items });
    const waits = ledger.asked('/v1/claims').map(({ body }) => body.waitMs as number);
    expect(waits[0]).toBeGreaterThan(15_000);
    expect(waits[1]).toBe(0);

    ledger.answer(claimsAnswered((claim) => held(claim, 'in_progress')));
    await run(guarded({ options: { waitSeconds: 20 } }), { items });
    expect(ledger.asked('/v1/claims')[1]!.body.waitMs).toBeGreaterThan(10_000);
  });

  test('large details in calls of about 2 MiB', async () => {
    const items = Array.from({ length: 60 }, (_, index) => ({ orderId: `o-${index}`, note: 'x'.repeat(60_000) }));
    await run(guarded({ options: { requestDetails: { values: { specify: 'fields', fields: 'note' } } } }), { items });
    const sizes = ledger.asked('/v1/claims').map(({ body }) => JSON.stringify(body).length);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(2.2 * 1024 * 1024);
  });

  test('every option', async () => {
    const options = {
      account: 'shop-1',
      version: 2,
      event: { values: { source: 'stripe', id: '={{ $json.eventId }}', occurredAt: '={{ $json.created }}' } },
      subjectVersion: { values: { by: 'sequence', sequence: '={{ $json.seq }}', stream: 'order' } },
      requestDetails: { values: { specify: 'fields', fields: 'amount, customer.id, missing' } },
      leaseSeconds: 60,
      sendsIdempotencyKey: true,
      waitSeconds: 2,
    };
    const items = [
      { orderId: 'a', eventId: 'evt_1', created: 1_792_000_000, seq: 17, amount: 4900, customer: { id: 'c1' } },
    ];
    await run(guarded({ options }), { items });
    const { waitMs, claims } = ledger.asked('/v1/claims')[0]!.body;
    expect(waitMs).toBeGreaterThan(1_500);
    expect(claims[0]).toMatchObject({
      account: 'shop-1',
      version: 2,
      event: { source: 'stripe', id: 'evt_1', occurredAt: '2026-10-14T17:46:40.000Z' },
      subjectVersion: { stream: 'order', value: 17 },
      details: { amount: 4900, 'customer.id': 'c1', missing: null },
      leaseSeconds: 60,
      holder: { sendsIdempotencyKey: true },
    });
  });

  test('a subject version by time, and details as JSON', async () => {
    const options = {
      subjectVersion: { values: { by: 'time', time: '={{ $json.at }}' } },
      requestDetails: { values: { specify: 'json', json: '{"amount": 12.5, "to": ["a", null]}' } },
    };
    await run(guarded({ options }), { items: [{ orderId: 'a', at: '2026-10-20T05:00:00+02:00' }] });
    expect(ledger.asked('/v1/claims')[0]!.body.claims[0]).toMatchObject({
      subjectVersion: { occurredAt: '2026-10-20T03:00:00.000Z' },
      details: { amount: 12.5, to: ['a', null] },
    });
  });

  test.each([
    [
      'a time without a zone',
      { event: { values: { source: 's', id: 'e', occurredAt: '2026-10-20 03:00' } } },
      'is not a time',
    ],
    ['an event without an ID', { event: { values: { source: 's', id: '' } } }, 'needs a Source and an Event ID'],
    [
      'a sequence that is no whole number',
      { subjectVersion: { values: { by: 'sequence', sequence: 1.5 } } },
      'whole number',
    ],
    ['a subject version without time', { subjectVersion: { values: { by: 'time', time: '' } } }, 'no time'],
    ['details that are no JSON', { requestDetails: { values: { specify: 'json', json: '{' } } }, 'not JSON'],
    ['details without fields', { requestDetails: { values: { specify: 'fields', fields: ' , ' } } }, 'name no fields'],
  ])('%s is refused before anything is claimed', async (_, options, message) => {
    const done = await run(guarded({ options }), { items: [{ orderId: 'a' }] });
    expect(done.error?.message).toContain(message);
    expect(ledger.asked('/v1/claims')).toEqual([]);
  });

  test.each([
    [2 ** 53 + 2, 'too large to be exact'],
    ['', 'is empty'],
    [null, 'is empty'],
    [true, 'is empty'],
    [{ id: 1 }, 'is empty'],
  ])('%p is no Business ID', async (orderId, message) => {
    const done = await run(guarded(), { items: [{ orderId }] });
    expect(done.error?.message).toContain(message);
    expect(ledger.asked('/v1/claims')).toEqual([]);
  });

  test('test runs under an account of their own, where wanted', async () => {
    const separate = { options: { testRunsUseSeparateKeys: true } };
    await run(guarded(separate), { items: [{ orderId: 'a' }], mode: 'manual' });
    await run(guarded({ options: { ...separate.options, account: 'shop-1' } }), {
      items: [{ orderId: 'a' }],
      mode: 'manual',
    });
    await run(guarded(separate), { items: [{ orderId: 'a' }], mode: 'webhook' });
    await run(guarded(), { items: [{ orderId: 'a' }], mode: 'manual' });
    const claims = ledger.asked('/v1/claims').map(({ body }) => body.claims[0]);
    expect(claims.map(({ account }) => account)).toEqual([
      'test-runs/default',
      'test-runs/shop-1',
      undefined,
      undefined,
    ]);
    expect(claims.map(({ holder }) => holder.mode)).toEqual(['manual', 'manual', 'webhook', 'manual']);
  });
});

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

describe('when the execution ends', () => {
  const holderOf = (received: Json) => received.body.holder;

  test('with a claim that got no receipt, the ledger hears it', async () => {
    await run(guarded(), { items: [{ orderId: 'a' }], executionId: '12', workflowId: 'wf' });
    const [ended] = ledger.asked('/v1/executions/ended');
    expect(ended!.body.cause).toBe('ended_without_receipt');
    expect(holderOf(ended)).toEqual({
      kind: 'n8n',
      instanceId: expect.stringMatching(/^[0-9a-f]{16,}$/),
      workflowId: 'wf',
      executionId: '12',
    });
  });

  test('because a later step failed, the ledger hears it', async () => {
    const failing = new Engine({
      nodeTypes: {
        ...ledgerNodeTypes,
        'test.step': nodeFrom(() => {
          throw new Error('booking broke');
        }),
      },
      credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test' } },
    });
    const definition = guarded();
    delete definition.nodes[2]!.onError;
    const done = await failing.run(definition, { items: [{ orderId: 'a' }] });
    expect(done.error?.message).toBe('booking broke');
    expect(ledger.asked('/v1/executions/ended')).toHaveLength(1);
  });

  test('with nothing granted, nothing is told', async () => {
    ledger.answer(claimsAnswered((claim) => held(claim, 'already_done')));
    await run(guarded(), { items: [{ orderId: 'a' }] });
    expect(ledger.asked('/v1/executions/ended')).toEqual([]);
  });

  test('because it was stopped in the guarded step, the ledger hears it', async () => {
    let cancel = () => {};
    const stopping = new Engine({
      nodeTypes: {
        ...ledgerNodeTypes,
        'test.step': nodeFrom(async function () {
          cancel();
          await new Promise((resolve) => setTimeout(resolve, 20));
          return [this.getInputData()];
        }),
      },
      credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test' } },
    });
    const heard = new Promise((resolve) =>
      ledger.answer((received, earlier) => {
        if (received.path === '/v1/executions/ended') resolve(received.body.cause);
        return agreeable(received, earlier);
      }),
    );
    void stopping.run(guarded(), { items: [{ orderId: 'a' }], onStart: (execution) => (cancel = execution.cancel) });
    expect(await heard).toBe('ended_without_receipt');
  });

  test('because it was stopped during the claim, the claim is given back', async () => {
    const done = await new Promise<{ released: unknown[] }>((resolve) => {
      let cancel = () => {};
      ledger.answer(async (received, earlier) => {
        if (received.path === '/v1/claims') {
          cancel();
          await new Promise((later) => setTimeout(later, 50));
        }
        if (received.path === '/v1/releases') setTimeout(() => resolve({ released: received.body.releases }), 10);
        return agreeable(received, earlier);
      });
      void run(guarded(), { items: [{ orderId: 'a' }], onStart: (execution) => (cancel = execution.cancel) });
    });
    expect(done.released).toEqual([expect.objectContaining({ subject: 'a', position: 0 })]);
  });
});

describe('warnings', () => {
  const hintsFor = async (orderId: unknown, parameters = {}, options: RunOptions = {}) =>
    (await run(guarded(parameters), { items: [{ orderId }], executionId: '9001', ...options }))
      .hints('Claim')
      .join('\n');

  test.each([
    ['someone@example.com', 'an email address'],
    ['9001', 'the execution ID'],
    ['2026-10-20T03:00:00Z', 'a time'],
    ['20.10.2026', 'a time'],
    [1_792_000_000, 'a time'],
    ['49.00', 'an amount'],
    ['€ 49', 'an amount'],
    ['1,249.90 EUR', 'an amount'],
    ['7f3c2c1e-3b5d-4a79-9a51-7d1c8a54c001', 'a generated ID'],
    ['Hello dear customer, your seat is booked now', 'written text'],
  ])('%p looks like %s', async (orderId, looksLike) => {
    expect(await hintsFor(orderId)).toContain(`looks like ${looksLike}`);
  });

  test.each(['workshop-842', '842', 'ORD_2026-000123', 'shop-1/842', 'cs_test_a1b2c3', 1234])(
    '%p is fine',
    async (orderId) => {
      expect(await hintsFor(orderId)).not.toContain('looks like');
    },
  );

  test.each([
    ['={{ $execution.id }}', 'the execution ID'],
    ['={{ $now.toMillis() }}', 'the time of this run'],
    ['={{ Math.random() }}', 'made anew'],
  ])('%s changes from run to run', async (businessId, madeFrom) => {
    expect(await hintsFor('a', { businessId })).toContain(madeFrom);
  });

  test("of the next step's settings and of Save Execution Progress", async () => {
    const definition = guarded();
    definition.settings = { saveExecutionProgress: true };
    Object.assign(definition.nodes[2]!, {
      onError: 'stopWorkflow',
      retryOnFail: true,
      maxTries: 2,
      waitBetweenTries: 1,
    });
    const hints = (await run(definition, { items: [{ orderId: 'a' }] })).hints('Claim').join('\n');
    expect(hints).toContain('Save Execution Progress on');
    expect(hints).toContain('"Proceed" has Retry On Fail on');
    expect(hints).toContain('"Proceed" has no error output');
  });

  test('none where everything is in order', async () => {
    expect(await hintsFor('workshop-842')).toBe('');
  });
});
