import { killBetweenBookingAndReceipt } from './stack/killed-execution';
import { until } from './stack/until';
import { bookSeat, chain, claimAction, publish, recordReceipt, webhook, workflow } from './workflow/build';
import { newOrderId } from './workshop/payment-event';

it('shows the second booking of a Retry that did not ask, where execution progress is saved', async () => {
  const orderId = newOrderId();
  const path = 'progress-saved';
  const { id } = await publish(
    workflow(
      path,
      [
        webhook(path),
        claimAction({ operation: path, options: { leaseSeconds: 5 } }),
        bookSeat({}, { timeout: 60_000 }),
        recordReceipt(),
      ],
      [...chain('Event', 'Claim', 'Book Seat', 'Receipt'), ['Book Seat', 1, 'Receipt']],
      { saveExecutionProgress: true },
    ),
  );
  const executionId = await killBetweenBookingAndReceipt(id, path, { orderId });
  await until(async () => (await stack.ledger.api.action(orderId, path))?.state === 'unknown', {
    what: 'the lease to end',
  });

  await stack.editor.retry(executionId);
  expect(stack.booking.bookings(orderId)).toHaveLength(2);
  const action = await stack.ledger.api.action(orderId, path);
  expect(action?.state).toBe('confirmed');
  expect(JSON.stringify(action?.contradictions)).toContain('repeated_by_retry');
});
