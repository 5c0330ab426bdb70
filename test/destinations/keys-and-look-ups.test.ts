import { until } from '../e2e/stack/until';
import { BookingSystem } from './index';

/** The destination's clock; nothing here waits for a real one. */
let now = Date.parse('2026-11-30T09:00:00Z');
const clock = () => now;
let booking: BookingSystem;

afterEach(async () => {
  await booking.stop();
});

it('a key is forgotten after its window, and the same key then books again', async () => {
  booking = await BookingSystem.start({ idempotencyKeys: true, keyWindowMs: 60_000, clock });
  const first = await booking.book('workshop-842', { idempotencyKey: 'key-1' });
  now += 59_999;
  expect(await booking.book('workshop-842', { idempotencyKey: 'key-1' })).toEqual(first);
  now += 1;
  expect(await booking.book('workshop-842', { idempotencyKey: 'key-1' })).not.toEqual(first);
  expect(booking.counts()).toEqual({ 'workshop-842': 2 });
});

it('a late effect under a key that another request used meanwhile is none', async () => {
  booking = await BookingSystem.start({ idempotencyKeys: true });
  booking.behave({ name: 'late-effect', delayMs: 1_000, times: 1 });
  const late = booking.book('workshop-842', { idempotencyKey: 'key-1' });
  const early = await booking.book('workshop-842', { idempotencyKey: 'key-1' });
  expect(await late).toEqual(early);
  expect(booking.counts()).toEqual({ 'workshop-842': 1 });
});

it('one request with two effects has them although it carries a key, and is answered the same again', async () => {
  booking = await BookingSystem.start({ idempotencyKeys: true });
  booking.behave({ name: 'twice', times: 1 });
  const first = await booking.book('workshop-842', { idempotencyKey: 'key-1' });
  expect(await booking.book('workshop-842', { idempotencyKey: 'key-1' })).toEqual(first);
  expect(booking.counts()).toEqual({ 'workshop-842': 2 });
});

it('an effect is not seen by look-ups until they have caught up', async () => {
  booking = await BookingSystem.start({ lookUpLagMs: 30_000, clock });
  await booking.book('workshop-842');
  const lookUp = async () => {
    const byOrder = await fetch(`${booking.url}/bookings?reference=workshop-842`);
    const byId = await fetch(`${booking.url}/bookings/RSV-1`);
    const { bookings } = (await byOrder.json()) as { bookings: object[] };
    return { found: bookings.length, byId: byId.status, direct: booking.lookUp('workshop-842').length };
  };
  now += 29_999;
  expect(await lookUp()).toEqual({ found: 0, byId: 404, direct: 0 });
  expect(booking.counts()).toEqual({ 'workshop-842': 1 });
  now += 1;
  expect(await lookUp()).toEqual({ found: 1, byId: 200, direct: 1 });
});

it('where duplicates are not allowed, a late effect meets the booking that came before it', async () => {
  booking = await BookingSystem.start({ allowDuplicates: false });
  booking.behave({ name: 'late-effect', delayMs: 1_000, times: 1 });
  const late = booking.book('workshop-842');
  await until(() => booking.effects.requestCount('workshop-842') === 1, { what: 'the request', everyMs: 5 });
  expect(await booking.book('workshop-842')).toMatchObject({ status: 201 });
  expect(await late).toMatchObject({ status: 409 });
  expect(booking.counts()).toEqual({ 'workshop-842': 1 });
});
