import { randomUUID } from 'node:crypto';

import type { INodeType } from 'n8n-workflow';

import { bookingEngine, guardedBooking } from './booking-workflow';
import { connect } from './engine';
import type { RunOptions, WorkflowDefinition } from './engine';
import { nodeFrom, step } from './helper-nodes';
import { claimNode, ledgerNode, start } from './ledger-nodes';
import { LossyProxy, RealLedger } from './real-ledger';

// The nodes in n8n's own engine against the service itself, with its own PostgreSQL.

jest.mock('n8n-workflow', () => {
  const actual = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
  return { ...actual, sleep: async (ms: number) => await actual.sleep(ms / 20) };
});

let ledger: RealLedger;
let proxy: LossyProxy;

beforeAll(async () => {
  ledger = await new RealLedger().start();
  proxy = await new LossyProxy(ledger).start();
}, 60_000);
afterAll(async () => {
  await proxy?.stop();
  await ledger?.stop();
});

let subject: string;
let booked: string[];
beforeEach(() => {
  subject = `workshop-${randomUUID().slice(0, 8)}`;
  booked = [];
  proxy.lose(() => false);
});

/** A booking system that counts what it did. */
const books: INodeType = step(({ orderId }) => {
  booked.push(orderId);
  return { reservationId: `RSV-${booked.length}` };
});

const engineWith = (booking: INodeType, url?: string, ledgerId?: string) =>
  bookingEngine(ledger, booking, url, ledgerId);

async function deliver(
  booking: INodeType = books,
  options: RunOptions & { claim?: Record<string, unknown>; url?: string } = {},
) {
  const { claim, url, ...run } = options;
  return await engineWith(booking, url).run(guardedBooking(claim), { items: [{ orderId: subject }], ...run });
}

test('the same event again: one booking, the second time it is already done with its reference', async () => {
  const event = { options: { event: { values: { source: 'stripe', id: `evt_${subject}` } } } };
  const first = await deliver(books, { claim: event });
  const second = await deliver(books, { claim: event });
  expect(booked).toEqual([subject]);
  expect(first.json('Receipt', 0)[0]!.receipt).toMatchObject({
    result: 'recorded',
    state: 'confirmed',
    reference: 'RSV-1',
  });
  expect(second.json('Claim', 1)[0]!.claim).toMatchObject({
    decision: 'already_done',
    receipt: { reference: 'RSV-1', testRun: false },
    event: { duplicate: true, deliveries: 2 },
  });
  const action = await ledger.action(subject);
  expect(action).toMatchObject({ state: 'confirmed', attempt: 1, contradictions: [] });
});

test('twenty deliveries at once: one booking, the others wait and are already done', async () => {
  const slow = step(async ({ orderId }) => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    booked.push(orderId);
    return { reservationId: 'RSV-1' };
  });
  const claim = { options: { waitSeconds: 20 } };
  const runs = await Promise.all(Array.from({ length: 20 }, () => deliver(slow, { claim })));
  expect(booked).toEqual([subject]);
  expect(runs.filter((run) => run.json('Claim', 0).length === 1)).toHaveLength(1);
  expect(runs.filter((run) => run.json('Claim', 1).length === 1)).toHaveLength(19);
});

test('the same key twice in one input: the first proceeds, the others are held', async () => {
  const items = [
    { orderId: subject, at: 0 },
    { orderId: `${subject}-b`, at: 1 },
    { orderId: subject, at: 2 },
  ];
  const run = await engineWith(books).run(guardedBooking(), { items });
  expect(run.json('Claim', 0).map(({ at }) => at)).toEqual([0, 1]);
  expect(run.json('Claim', 2).map(({ at, claim }) => [at, claim.decision])).toEqual([[2, 'in_progress']]);
  expect(booked).toHaveLength(2);
});

test('a booking that does not answer in time: unknown, and held from then on', async () => {
  const timesOut = step(() => ({
    error: { message: 'timeout of 2000ms exceeded', name: 'AxiosError', code: 'ECONNABORTED' },
  }));
  const first = await deliver(timesOut);
  expect(first.json('Receipt', 2)[0]!.receipt).toMatchObject({ outcome: 'unknown', state: 'unknown' });
  const second = await deliver();
  expect(second.json('Claim', 2)[0]!.claim).toMatchObject({
    decision: 'unknown',
    unknown: { since: expect.any(String) },
  });
  expect(booked).toEqual([]);
});

test('a booking that is refused: failed, and the next delivery may try again', async () => {
  const refuses = step(() => ({ error: { message: '422', name: 'AxiosError', code: 'ERR_BAD_REQUEST', status: 422 } }));
  const first = await deliver(refuses);
  expect(first.json('Receipt', 1)[0]!.receipt).toMatchObject({ outcome: 'failed', state: 'failed' });
  const second = await deliver();
  expect(second.json('Receipt', 0)[0]!.receipt).toMatchObject({ state: 'confirmed', attempt: 2 });
  expect(booked).toEqual([subject]);
});

describe("n8n's manual Retry, which repeats the step without asking", () => {
  const breaksOnce = (after: unknown) => {
    let calls = 0;
    return step(() => {
      calls += 1;
      booked.push(subject);
      if (calls === 1) throw new Error('socket hang up');
      return after;
    });
  };

  test('that ends well stays confirmed, with the contradiction', async () => {
    const engine = engineWith(breaksOnce({ reservationId: 'RSV-2' }));
    const definition = guardedBooking({}, { onError: 'stopWorkflow' });
    const failed = await engine.run(definition, { items: [{ orderId: subject }] });
    expect(failed.error?.message).toBe('socket hang up');
    expect(await ledger.action(subject)).toMatchObject({ state: 'unknown', cause: 'ended_without_receipt' });

    const retried = await engine.retry(failed, definition);
    expect(booked).toHaveLength(2);
    expect(retried.json('Receipt', 0)[0]!.receipt).toMatchObject({
      state: 'confirmed',
      contradiction: 'repeated_by_retry',
    });
    expect((await ledger.action(subject)).contradictions).toContain('repeated_by_retry');
  });

  test('that is refused is no proof that the first try did nothing', async () => {
    const engine = engineWith(breaksOnce({ error: { status: 404 } }));
    const definition = guardedBooking({}, { onError: 'stopWorkflow' });
    const failed = await engine.run(definition, { items: [{ orderId: subject }] });
    const retried = await engine.retry(failed, definition);
    expect(retried.json('Receipt', 2)[0]!.receipt).toMatchObject({
      outcome: 'failed',
      state: 'unknown',
      contradiction: 'repeated_by_retry',
    });
  });
});

describe('an answer that is lost after the ledger decided', () => {
  test('is given again to the same call: one attempt, one booking', async () => {
    proxy.lose((route, earlier) => (route === '/v1/claims' || route === '/v1/receipts') && earlier === 0);
    const run = await deliver(books, { url: proxy.url });
    expect(run.json('Claim', 0)[0]!.claim).toMatchObject({ decision: 'proceed', replayed: true, attempt: 1 });
    expect(run.json('Receipt', 0)[0]!.receipt).toMatchObject({ state: 'confirmed', replayed: true });
    expect(booked).toEqual([subject]);
    expect((await ledger.action(subject)).attempt).toBe(1);
  });

  test('for good: nothing proceeds, and the claim is given back by its place in the call', async () => {
    proxy.lose((route) => route === '/v1/claims');
    const run = await deliver(books, { url: proxy.url });
    expect(run.error?.message).toContain('cannot be reached');
    expect(booked).toEqual([]);
    expect((await ledger.action(subject)).state).toBe('pending');
    const next = await deliver();
    expect(next.json('Receipt', 0)[0]!.receipt).toMatchObject({ state: 'confirmed' });
  });

  test('together with the answer to the release: released when the execution ends', async () => {
    let ended = false;
    proxy.lose((route, earlier) => route === '/v1/claims' || (route === '/v1/releases' && earlier < 3 && !ended));
    const run = await deliver(books, { url: proxy.url });
    ended = true;
    expect(run.error).toBeDefined();
    expect((await ledger.action(subject)).state).toBe('pending');
  });
});

test('an execution that ends with an open claim leaves it unknown at once', async () => {
  const definition: WorkflowDefinition = {
    nodes: [start(), claimNode(), { name: 'Nothing', type: 'test.noOp' }],
    connections: connect({ Start: [['Claim']], Claim: [['Nothing']] }),
  };
  await engineWith(books).run(definition, { items: [{ orderId: subject }] });
  expect(await ledger.action(subject)).toMatchObject({ state: 'unknown', cause: 'ended_without_receipt' });
});

test('an execution that was killed: the error workflow leaves its claims unknown', async () => {
  const inTheStep = new Promise<void>((resolve) => {
    const hangs = nodeFrom(async () => {
      resolve();
      return await new Promise(() => {});
    });
    void engineWith(hangs).run(guardedBooking(), {
      items: [{ orderId: subject }],
      executionId: `killed-${subject}`,
      workflowId: 'wf-1',
    });
  });
  await inTheStep;
  expect((await ledger.action(subject)).state).toBe('in_progress');

  const errorWorkflow: WorkflowDefinition = {
    nodes: [start(), ledgerNode('Receipt', 'recordReceipt', { recordFor: 'crashedExecution' })],
    connections: connect({ Start: [['Receipt']] }),
  };
  const crash = (executionId: string) => [{ execution: { id: executionId }, workflow: { id: 'wf-1' } }];
  const other = await engineWith(books).run(errorWorkflow, { items: crash('another') });
  expect(other.json('Receipt', 2)[0]!.crashedExecution.abandoned).toEqual([]);
  const run = await engineWith(books).run(errorWorkflow, { items: crash(`killed-${subject}`) });
  expect(run.json('Receipt', 2)[0]!.crashedExecution.abandoned).toMatchObject([
    { actionKey: `default:${subject}:reserve-seat`, state: 'unknown' },
  ]);
  expect(await ledger.action(subject)).toMatchObject({ state: 'unknown', cause: 'execution_crashed' });
});

test('other details under the same key, and an older version of the subject, are held', async () => {
  const details = (amount: number) => ({
    options: { requestDetails: { values: { specify: 'json', json: JSON.stringify({ amount }) } } },
  });
  await deliver(books, { claim: details(4900) });
  expect((await deliver(books, { claim: details(5900) })).json('Claim', 2)[0]!.claim.decision).toBe('mismatch');

  const version = (sequence: number, operation: string) => ({
    operationName: { __rl: true, mode: 'name', value: operation },
    options: { subjectVersion: { values: { by: 'sequence', sequence, stream: 'order' } } },
  });
  await deliver(books, { claim: version(18, 'confirm') });
  const stale = await deliver(books, { claim: version(17, 'reserve-again') });
  expect(stale.json('Claim', 2)[0]!.claim).toMatchObject({ decision: 'stale', newer: { stream: 'order', value: 18 } });
});

test('a test run is told apart, and what it did is said', async () => {
  await deliver(books, { mode: 'manual' });
  const second = await deliver();
  expect(second.json('Claim', 1)[0]!.claim).toMatchObject({
    receipt: { testRun: true },
    reason: expect.stringContaining('test run'),
  });
  const separate = await deliver(books, { mode: 'manual', claim: { options: { testRunsUseSeparateKeys: true } } });
  expect(separate.json('Claim', 0)[0]!.claim.actionKey).toBe(`test-runs/default:${subject}:reserve-seat`);
});

test('a key that the ledger does not take is refused in its own words, and the others go on', async () => {
  const definition = guardedBooking();
  definition.nodes[1]!.onError = 'continueErrorOutput';
  const run = await engineWith(books).run(definition, {
    items: [{ orderId: subject }, { orderId: 'x'.repeat(300) }, { orderId: 'a\u0000b' }],
  });
  expect(run.json('Claim', 3).map(({ error }) => error.code)).toEqual(['invalid_key', 'invalid_key']);
  expect(run.json('Claim', 3)[0]!.error.description).toContain('subject');
  expect(run.json('Receipt', 0)).toHaveLength(1);
});

test('another ledger than the credential names is refused', async () => {
  const run = await engineWith(books, ledger.url, '00000000-0000-4000-8000-000000000000').run(guardedBooking(), {
    items: [{ orderId: subject }],
  });
  expect(run.error?.message).toContain('Another ledger answered');
  expect(booked).toEqual([]);
});

test('1,000 items in one run: all claimed, booked and confirmed', async () => {
  const items = Array.from({ length: 1_000 }, (_, at) => ({ orderId: `${subject}-${at}` }));
  const run = await engineWith(step(({ orderId }) => ({ id: `R-${orderId}` }))).run(guardedBooking(), { items });
  expect(run.error).toBeUndefined();
  expect(run.json('Receipt', 0)).toHaveLength(1_000);
  expect(run.json('Receipt', 0).every(({ receipt }) => receipt.state === 'confirmed')).toBe(true);
});
