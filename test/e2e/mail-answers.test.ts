import { mailReference, type BehaviourName } from '../destinations';
import { effectsOf, settled } from './workshop/effects';
import { deliver, paymentEvent } from './workshop/payment-event';

async function deliverWith(behaviour: BehaviourName) {
  const event = paymentEvent();
  stack.mail.behave({ name: behaviour, reference: mailReference(event.email, event.orderId), times: 1 });
  await deliver(event);
  await settled(event);
  return event;
}

async function mailState(orderId: string) {
  return (await stack.ledger.api.action(orderId, 'send-confirmation'))?.state;
}

it('sends a refused mail with the next delivery, without booking again', async () => {
  const event = await deliverWith('refuse');
  expect(await mailState(event.orderId)).toBe('failed');
  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 0 });

  await deliver(event);
  await settled(event);
  expect(await mailState(event.orderId)).toBe('confirmed');
  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 1 });
});

it('does not send again where the mail server may have taken the mail', async () => {
  const event = await deliverWith('reset-after');
  expect(await mailState(event.orderId)).toBe('unknown');
  await deliver(event);
  await settled(event);
  expect(await mailState(event.orderId)).toBe('unknown');
  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 1 });
});
