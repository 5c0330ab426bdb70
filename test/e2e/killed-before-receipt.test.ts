import { killBetweenBookingAndReceipt } from './stack/killed-execution';
import { runDataOf } from './stack/run-data';
import { until } from './stack/until';
import { nodeOf, publishWorkshopCopy } from './workflow/template';
import { effectsOf, settled } from './workshop/effects';
import { deliver, paymentEvent } from './workshop/payment-event';

it('books no second seat when n8n is killed after the booking and somebody presses Retry', async () => {
  const event = paymentEvent();
  const { id } = await publishWorkshopCopy('killed-before-receipt', (file) => {
    Object.assign(nodeOf(file, 'Claim Seat').parameters.options as object, { leaseSeconds: 5 });
  });
  const executionId = await killBetweenBookingAndReceipt(id, 'killed-before-receipt', event);
  const unknown = await until(
    async () => {
      const action = await stack.ledger.api.action(event.orderId, 'reserve-seat');
      return action?.state === 'unknown' && action;
    },
    { what: 'the lease to end', timeoutMs: 30_000 },
  );
  expect(unknown).toMatchObject({ cause: 'lease_expired', attempt: 1 });

  const retry = await stack.editor.retry(executionId);
  const execution = await runDataOf(retry.id);
  expect(execution.items('Claim Seat', 0)).toEqual([]);
  expect(execution.items('Claim Seat', 2)).toMatchObject([{ claim: { decision: 'unknown' } }]);
  expect(await stack.ledger.api.action(event.orderId, 'reserve-seat')).toMatchObject({ state: 'unknown' });
  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 0 });

  // What the docs say to do: look at the destination, record what is there, and let the event come again.
  await stack.ledger.api.call('POST', `/v1/actions/${unknown.actionId}/resolution`, {
    outcome: 'happened',
    attempt: unknown.attempt,
    historySeq: unknown.historySeq,
    reference: stack.booking.bookings(event.orderId)[0]?.id,
    by: 'support@example.com',
  });
  expect((await deliver(event)).body).toMatchObject({ decision: 'already_done' });
  await settled(event);
  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 1 });
});
