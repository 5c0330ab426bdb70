import { Engine } from './engine';
import type { RunOptions, WorkflowDefinition } from './engine';
import { claimsAnswered, engineFor, guarded } from './claim-workflow';
import type { Json } from './json';
import { agreeable, held, ScriptedLedger } from './scripted-ledger';

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
    ['undefined', 'found nothing'],
    [' NULL ', 'found nothing'],
    ['nan', 'found nothing'],
    [' [object Object] ', 'gave an object'],
  ])('%p is no Business ID', async (orderId, message) => {
    const done = await run(guarded(), { items: [{ orderId }] });
    expect(done.error?.message).toContain(message);
    expect(ledger.asked('/v1/claims')).toEqual([]);
  });

  test.each(['={{ Number($json.orderId) }}', '={{ 1 / 0 }}', '={{ -1 / 0 }}', '={{ "" + $json.order }}'])(
    '%s is no Business ID',
    async (businessId) => {
      const done = await run(guarded({ businessId }), { items: [{ orderId: 'a' }] });
      expect(done.error?.message).toContain('found nothing');
      expect(done.error?.description).toContain('nothing was claimed');
      expect(ledger.asked('/v1/claims')).toEqual([]);
    },
  );

  test.each(['Infinity', 'null-7', 'undefined/1'])('the text %s is one', async (orderId) => {
    await run(guarded(), { items: [{ orderId }] });
    expect(ledger.asked('/v1/claims')[0]!.body.claims[0].subject).toBe(orderId);
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
