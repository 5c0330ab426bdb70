import { deliver, paymentEvent } from './workshop/payment-event';
import { effectsOf, settled } from './workshop/effects';

it('does not book again for another event about the same order', async () => {
  const first = paymentEvent();
  const second = paymentEvent(first.orderId);
  await deliver(first);
  await settled(first);
  expect((await deliver(second)).body).toMatchObject({ decision: 'already_done' });
  await settled(second);

  expect(effectsOf(first)).toEqual({ bookings: 1, mails: 1 });
  const seat = await stack.ledger.api.action(first.orderId, 'reserve-seat');
  expect(seat?.events.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
});

it('books for each of two orders of the same customer', async () => {
  const events = [paymentEvent(), paymentEvent()];
  for (const event of events) await deliver(event);
  for (const event of events) await settled(event);
  for (const event of events) expect(effectsOf(event)).toEqual({ bookings: 1, mails: 1 });
});
