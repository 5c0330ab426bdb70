import { setTimeout as delay } from 'node:timers/promises';

import { BookingSystem } from './index';

/** Long enough for a busy machine to have sent the request: only the answer may be missing. */
const PATIENCE_IN_VAIN_MS = 2_500;

let booking: BookingSystem;

afterEach(async () => {
  await booking.stop();
});

async function book(orderId: string, headers: Record<string, string> = {}, timeoutMs = 15_000) {
  const response = await fetch(`${booking.url}/bookings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ orderId }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.status, text: await response.text() };
}

it('books a seat and gives its reference', async () => {
  booking = await BookingSystem.start();
  const { status, text } = await book('workshop-842');
  expect(status).toBe(201);
  expect(JSON.parse(text)).toMatchObject({ reference: 'RSV-1', orderId: 'workshop-842' });
});

it('books again for the same order, as most systems do, and counts it', async () => {
  booking = await BookingSystem.start();
  await Promise.all([book('workshop-842'), book('workshop-842'), book('workshop-843')]);
  expect(booking.counts()).toEqual({ 'workshop-842': 2, 'workshop-843': 1 });
});

it('refuses a second booking where duplicates are not allowed', async () => {
  booking = await BookingSystem.start({ allowDuplicates: false });
  await book('workshop-842');
  expect((await book('workshop-842')).status).toBe(409);
  expect(booking.counts()).toEqual({ 'workshop-842': 1 });
});

it('gives the same booking for the same idempotency key only where it honours such keys', async () => {
  booking = await BookingSystem.start({ idempotencyKeys: true });
  const first = await book('workshop-842', { 'idempotency-key': 'key-1' });
  const again = await book('workshop-842', { 'idempotency-key': 'key-1' });
  expect(again.text).toBe(first.text);
  await book('workshop-842', { 'idempotency-key': 'key-2' });
  expect(booking.counts()).toEqual({ 'workshop-842': 2 });
  await booking.stop();

  booking = await BookingSystem.start({ idempotencyKeys: false });
  await book('workshop-842', { 'idempotency-key': 'key-1' });
  await book('workshop-842', { 'idempotency-key': 'key-1' });
  expect(booking.counts()).toEqual({ 'workshop-842': 2 });
});

it('is looked up by the order and by its own reference, or not at all', async () => {
  booking = await BookingSystem.start();
  await book('workshop-842');
  const found = await fetch(`${booking.url}/bookings?reference=workshop-842`);
  expect(await found.json()).toMatchObject({ bookings: [{ reference: 'RSV-1' }] });
  expect((await fetch(`${booking.url}/bookings/RSV-1`)).status).toBe(200);
  expect((await fetch(`${booking.url}/bookings/RSV-2`)).status).toBe(404);
  await booking.stop();

  booking = await BookingSystem.start({ lookUp: false });
  await book('workshop-842');
  expect((await fetch(`${booking.url}/bookings?reference=workshop-842`)).status).toBe(404);
});

describe('a booking that happened although the caller cannot know it', () => {
  beforeEach(async () => {
    booking = await BookingSystem.start();
  });

  afterEach(() => {
    expect(booking.counts()).toEqual({ 'workshop-842': 1 });
  });

  it('is answered after the client gave up', async () => {
    booking.behave({ name: 'late', delayMs: 20_000 });
    await expect(book('workshop-842', {}, PATIENCE_IN_VAIN_MS)).rejects.toThrow(/timeout/);
  });

  it('is answered late, but is answered', async () => {
    booking.behave({ name: 'late', delayMs: 200 });
    const started = Date.now();
    expect((await book('workshop-842')).status).toBe(201);
    expect(Date.now() - started).toBeGreaterThanOrEqual(190);
  });

  it('is never answered', async () => {
    booking.behave({ name: 'never' });
    await expect(book('workshop-842', {}, PATIENCE_IN_VAIN_MS)).rejects.toThrow(/timeout/);
  });

  it('is answered with 503', async () => {
    booking.behave({ name: 'error-after' });
    expect((await book('workshop-842')).status).toBe(503);
  });

  it('ends in a connection reset', async () => {
    booking.behave({ name: 'reset-after' });
    await expect(book('workshop-842')).rejects.toThrow(/fetch failed/);
  });

  it('is answered with nothing in it', async () => {
    booking.behave({ name: 'empty-answer' });
    expect(await book('workshop-842')).toEqual({ status: 200, text: '' });
  });
});

describe('a request that books nothing', () => {
  beforeEach(async () => {
    booking = await BookingSystem.start();
  });

  afterEach(() => {
    expect(booking.counts()).toEqual({});
    expect(booking.effects.requestCount('workshop-842')).toBe(1);
  });

  it('is answered with 503', async () => {
    booking.behave({ name: 'error-before' });
    expect((await book('workshop-842')).status).toBe(503);
  });

  it('ends in a connection reset', async () => {
    booking.behave({ name: 'reset-before' });
    await expect(book('workshop-842')).rejects.toThrow(/fetch failed/);
  });

  it('is refused with 422, or with the status that was asked for', async () => {
    booking.behave({ name: 'refuse', reference: 'workshop-842' });
    expect((await book('workshop-842')).status).toBe(422);
  });

  it('is refused with 404 by a header of the request itself', async () => {
    expect((await book('workshop-842', { 'x-behaviour': 'refuse; status=404' })).status).toBe(404);
  });
});

describe('rules', () => {
  beforeEach(async () => {
    booking = await BookingSystem.start();
  });

  it('for one order leave the others alone, and are used up where they say how often they hold', async () => {
    booking.behave({ name: 'error-before', reference: 'workshop-842', times: 1 });
    expect((await book('workshop-843')).status).toBe(201);
    expect((await book('workshop-842')).status).toBe(503);
    expect((await book('workshop-842')).status).toBe(201);
  });

  it('are set, and effects counted, over HTTP from another process', async () => {
    const rule = { name: 'error-after', reference: 'workshop-842' };
    await fetch(`${booking.url}/control/behaviour`, { method: 'POST', body: JSON.stringify(rule) });
    expect((await book('workshop-842')).status).toBe(503);
    const control = await (await fetch(`${booking.url}/control`)).json();
    expect(control).toMatchObject({ counts: { 'workshop-842': 1 }, effects: [{ id: 'RSV-1' }] });
    await fetch(`${booking.url}/control`, { method: 'DELETE' });
    expect((await book('workshop-842')).status).toBe(201);
    expect(booking.counts()).toEqual({ 'workshop-842': 1 });
  });

  it('that do not exist are refused by name', async () => {
    expect(() => booking.behave({ name: 'sometimes' as 'late' })).toThrow(/"sometimes".*Use one of: normal/);
    expect((await book('workshop-842', { 'x-behaviour': 'sometimes' })).status).toBe(400);
  });
});

it('stops at once although a request is still unanswered', async () => {
  booking = await BookingSystem.start();
  booking.behave({ name: 'never' });
  const pending = book('workshop-842', {}, 15_000).catch((error: Error) => error);
  while (booking.effects.all().length === 0) await delay(5);
  const started = Date.now();
  await booking.stop();
  expect(await pending).toMatchObject({ message: 'fetch failed' });
  expect(Date.now() - started).toBeLessThan(4_000);
  booking = await BookingSystem.start();
});
