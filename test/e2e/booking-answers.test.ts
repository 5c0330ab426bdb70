import { effectsOf, settled } from './workshop/effects';
import { deliver, paymentEvent, type PaymentEvent } from './workshop/payment-event';

async function stateAfter(event: PaymentEvent) {
  await deliver(event);
  await settled(event);
  return (await stack.ledger.api.action(event.orderId, 'reserve-seat'))?.state;
}

it('may book after the booking system refused: a refusal is a known failure', async () => {
  const event = paymentEvent();
  stack.booking.behave({ name: 'refuse', status: 422, reference: event.orderId, times: 1 });
  expect(await stateAfter(event)).toBe('failed');
  expect(effectsOf(event)).toEqual({ bookings: 0, mails: 0 });

  expect(await stateAfter(event)).toBe('confirmed');
  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 1 });
});

it.each([
  ['503 after the booking', { name: 'error-after' }, 1],
  ['503 before the booking', { name: 'error-before' }, 0],
  ['a connection reset after the booking', { name: 'reset-after' }, 1],
  ['an empty answer', { name: 'empty-answer' }, 1],
] as const)('leaves the action unknown after %s, and books no second seat', async (_, behaviour, bookings) => {
  const event = paymentEvent();
  stack.booking.behave({ ...behaviour, reference: event.orderId, times: 1 });
  expect(await stateAfter(event)).toBe('unknown');
  expect(await stateAfter(event)).toBe('unknown');
  expect(effectsOf(event)).toEqual({ bookings, mails: 0 });
});
