import { noOp, step } from './helper-nodes';
import { book, httpRequest, recordWith, throws } from './receipt-workflow';
import type { Setup } from './receipt-workflow';
import { agreeable, ScriptedLedger } from './scripted-ledger';

let ledger: ScriptedLedger;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
});
afterAll(() => ledger.stop());
beforeEach(() => ledger.answer(agreeable));

const record = (setup: Setup) => recordWith(ledger, setup);

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

describe('a step that n8n may have repeated by itself', () => {
  // n8n pauses this long before a further try; a run that was shorter cannot have been repeated.
  const retries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 20 };
  const failsOnce = (): typeof book => {
    let tries = 0;
    return step(() => {
      if (++tries === 1) throw new Error('503');
      return { reservationId: 'RSV-220', status: 'booked' };
    });
  };

  test('a success after a try that failed is unknown: nobody knows what the first try did', async () => {
    const { receipt, output } = await record({ steps: [{ does: failsOnce(), node: retries }] });
    expect(receipt).toMatchObject({ outcome: 'unknown', cause: expect.stringContaining('more than once') });
    expect(output).toBe(2);
  });

  test('a run that was shorter than the pause between two tries was one try: confirmed', async () => {
    const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 5_000 };
    const { receipt } = await record({ steps: [{ does: book, node }] });
    expect(receipt.outcome).toBe('confirmed');
  });

  test('with an idempotency key that the destination honours, repeating made one effect: confirmed', async () => {
    const { receipt } = await record({
      steps: [{ does: failsOnce(), node: retries }],
      claim: { parameters: { options: { sendsIdempotencyKey: true } } },
    });
    expect(receipt.outcome).toBe('confirmed');
  });
});
