import { postToWebhook } from './stack/webhook';
import { bookSeat, chain, claimAction, publish, recordReceipt, webhook, workflow } from './workflow/build';
import { newOrderId } from './workshop/payment-event';

async function bookWith(path: string, response: object, orderId: string) {
  await publish(
    workflow(
      path,
      [webhook(path), claimAction({ operation: path }), bookSeat({}, { response: { response } }), recordReceipt()],
      [...chain('Event', 'Claim', 'Book Seat', 'Receipt'), ['Book Seat', 1, 'Receipt']],
    ),
  );
  await postToWebhook(path, { orderId });
  return stack.ledger.api.action(orderId, path);
}

it('does not take a 503 that Never Error lets out of Success for a booking', async () => {
  const orderId = newOrderId();
  stack.booking.behave({ name: 'error-after', reference: orderId });
  expect(await bookWith('never-error', { neverError: true }, orderId)).toMatchObject({ state: 'unknown' });
  expect(stack.booking.bookings(orderId)).toHaveLength(1);
});

it('confirms under Never Error where the full response says 2xx', async () => {
  const orderId = newOrderId();
  const response = { neverError: true, fullResponse: true };
  expect(await bookWith('never-error-full', response, orderId)).toMatchObject({ state: 'confirmed' });
});

it('does not confirm under Never Error where the full response says 503', async () => {
  const orderId = newOrderId();
  stack.booking.behave({ name: 'error-before', reference: orderId });
  const response = { neverError: true, fullResponse: true };
  expect(await bookWith('never-error-503', response, orderId)).toMatchObject({ state: 'unknown' });
});
