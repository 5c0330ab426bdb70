import { latestExecution } from './stack/run-data';
import { postToWebhook } from './stack/webhook';
import { bookSeat, chain, claimAction, publish, recordReceipt, webhook, workflow } from './workflow/build';
import { newOrderId } from './workshop/payment-event';

it('does not hide that a disabled Claim Action let everything through', async () => {
  const path = 'disabled-claim';
  const orderId = newOrderId();
  const { id } = await publish(
    workflow(
      path,
      [webhook(path), { ...claimAction({ operation: path }), disabled: true }, bookSeat(), recordReceipt()],
      [...chain('Event', 'Claim', 'Book Seat', 'Receipt'), ['Book Seat', 1, 'Receipt']],
    ),
  );
  await postToWebhook(path, { orderId });

  const execution = await latestExecution(id);
  expect(stack.booking.bookings(orderId)).toHaveLength(1);
  expect(execution.summary.status).toBe('error');
  expect(execution.error('Receipt')).toMatch(/no claim/i);
  expect(await stack.ledger.api.action(orderId, path)).toBeUndefined();
});
