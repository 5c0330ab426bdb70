import { until } from './stack/until';
import { postToWebhook } from './stack/webhook';
import { bookSeat, chain, claimAction, publish, recordReceipt, webhook, workflow } from './workflow/build';
import { newOrderId } from './workshop/payment-event';

// What no guard reaches: nothing is asked between Proceed and the step behind it.
it('shows the second booking of an execution that waited past its lease and booked all the same', async () => {
  const orderId = newOrderId();
  const path = 'waits-past-the-lease';
  const parameters = { amount: '={{ $json.body.waitSeconds }}' };
  const wait = { name: 'Wait', type: 'n8n-nodes-base.wait', typeVersion: 1.1, parameters };
  await publish(
    workflow(
      path,
      [
        webhook(path),
        claimAction({ operation: path, options: { leaseSeconds: 8 } }),
        wait,
        bookSeat(),
        recordReceipt(),
      ],
      [...chain('Event', 'Claim', 'Wait', 'Book Seat', 'Receipt'), ['Book Seat', 1, 'Receipt']],
    ),
  );
  const waiting = postToWebhook(path, { orderId, waitSeconds: 25 });
  const unknown = await until(
    async () => {
      const action = await stack.ledger.api.action(orderId, path);
      return action?.state === 'unknown' && action;
    },
    { what: 'the lease to end' },
  );
  // Somebody looks, finds nothing, and says so; the next delivery books.
  await stack.ledger.api.call('POST', `/v1/actions/${unknown.actionId}/resolution`, {
    outcome: 'not_happened',
    attempt: unknown.attempt,
    historySeq: unknown.historySeq,
    reason: 'The booking system has no booking for this order',
    by: 'support@example.com',
  });
  await postToWebhook(path, { orderId, waitSeconds: 0 });
  expect(stack.booking.bookings(orderId)).toHaveLength(1);

  await waiting;
  expect(stack.booking.bookings(orderId)).toHaveLength(2);
  const action = await stack.ledger.api.action(orderId, path);
  expect(action?.contradictions).not.toEqual([]);
});
