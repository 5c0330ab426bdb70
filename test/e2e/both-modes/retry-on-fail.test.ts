import { BookingSystem } from '../../destinations';
import { postToWebhook } from '../stack/webhook';
import { bookSeat, chain, claimAction, publish, recordReceipt, webhook, workflow } from '../workflow/build';
import { newOrderId } from '../workshop/payment-event';

// n8n repeats the step inside the node, without asking anybody. What the docs say to switch off is on here.
const repeats = { retryOnFail: true, maxTries: 3, waitBetweenTries: 500 };
/** The longest pause that n8n makes: a run that took less than this was one try. */
const repeatsLate = { ...repeats, waitBetweenTries: 5_000 };
let withKeys: BookingSystem;

beforeAll(async () => {
  withKeys = await BookingSystem.start({ idempotencyKeys: true });
});

afterAll(async () => {
  await withKeys.stop();
});

/** Delivers one order to a guarded booking that repeats by itself. */
async function book(path: string, orderId: string, parameters: object = {}, settings = repeats) {
  const step = bookSeat(settings);
  Object.assign(step.parameters, parameters);
  await publish(
    workflow(
      path,
      [webhook(path), claimAction({ operation: path }), step, recordReceipt()],
      [...chain('Event', 'Claim', 'Book Seat', 'Receipt'), ['Book Seat', 1, 'Receipt']],
    ),
  );
  await postToWebhook(path, { orderId });
  return stack.ledger.api.action(orderId, path);
}

it('books three times when each answer is a 503 after the booking, and says that nobody knows', async () => {
  const orderId = newOrderId();
  stack.booking.behave({ name: 'error-after', reference: orderId });
  expect(await book('repeats-in-vain', orderId)).toMatchObject({ state: 'unknown' });
  expect(stack.booking.bookings(orderId)).toHaveLength(3);
});

it('does not take a refusal of the second try for a failure: the first may have booked', async () => {
  const orderId = newOrderId();
  stack.booking.behave({ name: 'refuse', reference: orderId });
  stack.booking.behave({ name: 'error-after', reference: orderId, times: 1 });
  expect(await book('repeats-then-refused', orderId)).toMatchObject({ state: 'unknown' });
  expect(stack.booking.bookings(orderId)).toHaveLength(1);
});

it('does not say that all is well when the second try succeeded: the first may have booked too', async () => {
  const orderId = newOrderId();
  stack.booking.behave({ name: 'error-after', reference: orderId, times: 1 });
  const action = await book('repeats-with-success', orderId);
  expect(stack.booking.bookings(orderId)).toHaveLength(2);
  expect(action).not.toMatchObject({ state: 'confirmed', contradictions: [] });
});

it('confirms a step that could repeat and did not need to', async () => {
  const orderId = newOrderId();
  expect(await book('repeats-never', orderId, {}, repeatsLate)).toMatchObject({
    state: 'confirmed',
    contradictions: [],
  });
  expect(stack.booking.bookings(orderId)).toHaveLength(1);
});

it('books once although the step repeats, where the destination honours the idempotency key', async () => {
  const orderId = newOrderId();
  withKeys.behave({ name: 'error-after', reference: orderId, times: 1 });
  await book('repeats-with-key', orderId, {
    url: `${withKeys.url}/bookings`,
    sendHeaders: true,
    headerParameters: { parameters: [{ name: 'Idempotency-Key', value: '={{ $json.claim.idempotencyKey }}' }] },
  });
  expect(withKeys.effects.requestCount(orderId)).toBe(2);
  expect(withKeys.bookings(orderId)).toHaveLength(1);
});
