import { effectsOf, settled } from './workshop/effects';
import { deliver, paymentEvent } from './workshop/payment-event';

it('does not take a time-out of the booking for permission to book again', async () => {
  const event = paymentEvent();
  // The template waits 10 s; the seat is booked at once.
  stack.booking.behave({ name: 'late', delayMs: 11_500, reference: event.orderId, times: 1 });
  await deliver(event);
  await settled(event);
  expect(await stack.ledger.api.action(event.orderId, 'reserve-seat')).toMatchObject({ state: 'unknown' });

  expect((await deliver(event)).body).toMatchObject({ decision: 'unknown' });
  expect((await deliver(paymentEvent(event.orderId))).body).toMatchObject({ decision: 'unknown' });
  await settled(event);
  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 0 });
});
