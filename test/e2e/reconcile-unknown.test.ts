import { latestExecution } from './stack/run-data';
import type { SavedWorkflow } from './stack/n8n-session';
import { readTemplate } from './workflow/template';
import { effectsOf, noneRunning, settled } from './workshop/effects';
import { deliver, paymentEvent, type PaymentEvent } from './workshop/payment-event';
import type { BehaviourName } from '../destinations';

let reconciler: SavedWorkflow;

beforeAll(async () => {
  reconciler = await stack.editor.createWorkflow(await readTemplate('reconcile-unknown'));
});

async function deliverWith(name: BehaviourName): Promise<PaymentEvent> {
  const event = paymentEvent();
  stack.booking.behave({ name, reference: event.orderId, times: 1 });
  await deliver(event);
  await settled(event);
  expect(await stack.ledger.api.action(event.orderId, 'reserve-seat')).toMatchObject({ state: 'unknown' });
  return event;
}

async function reconcile() {
  await stack.editor.runManually(reconciler.id, 'Every 15 Minutes');
  return latestExecution(reconciler.id);
}

it('confirms a booking that it finds, so that the next delivery sends the mail and books nothing', async () => {
  const event = await deliverWith('reset-after');
  await reconcile();
  const seat = await stack.ledger.api.action(event.orderId, 'reserve-seat');
  expect(seat).toMatchObject({
    state: 'confirmed',
    receipt: { reference: stack.booking.bookings(event.orderId)[0]?.id },
  });

  expect((await deliver(event)).body).toMatchObject({ decision: 'already_done' });
  await settled(event);
  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 1 });
});

it('leaves a booking that it does not find unknown and held, to be looked up later', async () => {
  const event = await deliverWith('reset-before');
  await reconcile();
  const seat = await stack.ledger.api.action(event.orderId, 'reserve-seat');
  expect(seat?.state).toBe('unknown');
  expect(Date.parse(seat?.nextCheckAt ?? '')).toBeGreaterThan(Date.now() + 50 * 60_000);
  expect((await deliver(event)).body).toMatchObject({ decision: 'unknown' });
  await noneRunning();
  expect(effectsOf(event)).toEqual({ bookings: 0, mails: 0 });

  // It is not due again for an hour.
  const again = await reconcile();
  expect(again.items('Get Due', 0).map((action) => action.subject)).not.toContain(event.orderId);
});

it('does not take two bookings for one', async () => {
  const event = await deliverWith('reset-after');
  stack.booking.effects.happened(event.orderId, {});
  await reconcile();
  expect(await stack.ledger.api.action(event.orderId, 'reserve-seat')).toMatchObject({ state: 'unknown' });
  expect((await deliver(event)).body).toMatchObject({ decision: 'unknown' });
});
