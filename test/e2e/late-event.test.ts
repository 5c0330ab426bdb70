import { postToWebhook } from './stack/webhook';
import { chain, claimAction, publish, webhook, workflow } from './workflow/build';
import { effectsOf, noneRunning, settled } from './workshop/effects';
import { deliver, newOrderId, paymentEvent } from './workshop/payment-event';

it('does not book for a payment event that comes after a newer cancellation', async () => {
  const orderId = newOrderId();
  const subjectVersion = { values: { by: 'time', time: '={{ $json.body.occurredAt }}', stream: 'order' } };
  await publish(
    workflow(
      'cancellation',
      [webhook('cancel-order'), claimAction({ operation: 'cancel-order', options: { subjectVersion } })],
      chain('Event', 'Claim'),
    ),
  );
  await postToWebhook('cancel-order', { orderId, occurredAt: '2026-10-20T10:05:00Z' });

  const late = paymentEvent(orderId, { occurredAt: '2026-10-20T10:00:00Z' });
  expect((await deliver(late)).body).toMatchObject({ decision: 'stale' });
  await noneRunning();
  expect(effectsOf(late)).toEqual({ bookings: 0, mails: 0 });

  const paidAgain = paymentEvent(orderId, { occurredAt: '2026-10-20T10:10:00Z' });
  expect((await deliver(paidAgain)).body).toMatchObject({ decision: 'proceed' });
  await settled(paidAgain);
  expect(effectsOf(paidAgain)).toEqual({ bookings: 1, mails: 1 });
});
