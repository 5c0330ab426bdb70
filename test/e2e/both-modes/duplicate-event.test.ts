import { deliver, paymentEvent } from '../workshop/payment-event';
import { effectsOf, settled } from '../workshop/effects';

it('books one seat and sends one mail for an event that is delivered twice', async () => {
  const event = paymentEvent();
  expect(await deliver(event)).toMatchObject({ status: 200, body: { decision: 'proceed' } });
  await settled(event);
  expect(await deliver(event)).toMatchObject({ status: 200, body: { decision: 'already_done' } });
  await settled(event);

  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 1 });
  const seat = await stack.ledger.api.action(event.orderId, 'reserve-seat');
  expect(seat).toMatchObject({ state: 'confirmed', contradictions: [] });
  expect(seat?.receipt?.reference).toBe(stack.booking.bookings(event.orderId)[0]?.id);
  expect(seat?.events).toEqual([expect.objectContaining({ id: event.id, deliveries: 2 })]);
  expect(await stack.ledger.api.action(event.orderId, 'send-confirmation')).toMatchObject({ state: 'confirmed' });
});
