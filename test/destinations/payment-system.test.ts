import { PaymentSystem, type Payment } from './index';

let payments: PaymentSystem;

beforeEach(async () => {
  payments = await PaymentSystem.start();
});

afterEach(async () => {
  await payments.stop();
});

const order: Payment = {
  orderId: 'workshop-842',
  amount: 4900,
  currency: 'thb',
  metadata: { action_key: 'shop-1:workshop-842:take-payment' },
};

async function pay(body: object, idempotencyKey?: string) {
  const response = await fetch(`${payments.url}/payments`, {
    method: 'POST',
    headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function lookUp(query: Record<string, string>) {
  const response = await fetch(`${payments.url}/payments?${new URLSearchParams(query).toString()}`);
  return { status: response.status, body: (await response.json()) as { payments: { id: string }[] } };
}

it('takes a payment and shows what was taken', async () => {
  const { status, body } = await pay(order);
  expect(status).toBe(201);
  expect(body).toMatchObject({ id: 'PAY-1', status: 'succeeded', ...order });
  expect(payments.counts()).toEqual({ 'workshop-842': 1 });
});

it('takes money twice for one order where no key says that it is the same payment', async () => {
  await pay(order);
  await pay(order);
  await pay(order, 'key-1');
  await pay(order, 'key-2');
  expect(payments.counts()).toEqual({ 'workshop-842': 4 });
});

it('answers the same key with the same payment for a day, and refuses it for another payment', async () => {
  const first = await pay(order, 'key-1');
  expect(await pay(order, 'key-1')).toEqual(first);
  for (const other of [{ amount: 5000 }, { currency: 'eur' }, { orderId: 'workshop-843' }]) {
    expect(await pay({ ...order, ...other }, 'key-1')).toMatchObject({ status: 400, body: { message: /PAY-1/ } });
  }
  expect(payments.counts()).toEqual({ 'workshop-842': 1 });
});

it('forgets a key after a day, as its documentation says', async () => {
  let now = Date.parse('2026-11-30T09:00:00Z');
  const clocked = await PaymentSystem.start({ clock: () => now });
  await clocked.pay(order, { idempotencyKey: 'key-1' });
  now += 86_400_000 - 1;
  await clocked.pay(order, { idempotencyKey: 'key-1' });
  expect(clocked.counts()).toEqual({ 'workshop-842': 1 });
  now += 1;
  await clocked.pay(order, { idempotencyKey: 'key-1' });
  expect(clocked.counts()).toEqual({ 'workshop-842': 2 });
  await clocked.stop();
});

it('can be started so that it knows no keys, or cannot be looked up', async () => {
  const bare = await PaymentSystem.start({ idempotencyKeys: false, lookUp: false });
  await bare.pay(order, { idempotencyKey: 'key-1' });
  await bare.pay(order, { idempotencyKey: 'key-1' });
  expect(bare.counts()).toEqual({ 'workshop-842': 2 });
  expect((await fetch(`${bare.url}/payments?reference=workshop-842`)).status).toBe(404);
  expect((await fetch(`${bare.url}/payments/PAY-1`)).status).toBe(404);
  await bare.stop();
});

it('is looked up by order, by action key and by its own ID', async () => {
  await pay(order);
  await pay({ ...order, orderId: 'workshop-843', metadata: {} });
  const found = { status: 200, body: { payments: [{ id: 'PAY-1' }] } };
  expect(await lookUp({ reference: 'workshop-842' })).toMatchObject(found);
  expect(await lookUp({ action_key: 'shop-1:workshop-842:take-payment' })).toMatchObject(found);
  expect((await lookUp({ action_key: 'shop-2:workshop-842:take-payment' })).body.payments).toEqual([]);
  expect((await lookUp({})).body.payments).toEqual([]);
  expect(await (await fetch(`${payments.url}/payments/PAY-2`)).json()).toMatchObject({ orderId: 'workshop-843' });
  expect((await fetch(`${payments.url}/payments/PAY-3`)).status).toBe(404);
});

it.each([
  ['without an order', { orderId: '' }],
  ['of nothing', { amount: 0 }],
  ['of parts of the smallest unit', { amount: 49.5 }],
  ['in no currency', { currency: 'baht' }],
])('refuses a payment %s', async (_, wrong) => {
  expect(await pay({ ...order, ...wrong })).toMatchObject({ status: 422 });
  expect(payments.counts()).toEqual({});
});

it('keeps to its behaviours and controls as the other systems do', async () => {
  payments.behave({ name: 'error-after', reference: 'workshop-842', times: 1 });
  expect((await pay(order)).status).toBe(503);
  const control = await (await fetch(`${payments.url}/control`)).json();
  expect(control).toMatchObject({ counts: { 'workshop-842': 1 } });
  payments.reset();
  expect((await lookUp({ action_key: 'shop-1:workshop-842:take-payment' })).body.payments).toEqual([]);
  expect(payments.counts()).toEqual({});
});
