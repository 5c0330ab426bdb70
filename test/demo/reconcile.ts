import { setTimeout as delay } from 'node:timers/promises';

import type { PaymentEvent } from './payment-event';
import type { Scene } from './scene';
import { template } from './workflows';

/** One run of `workflows/reconcile-unknown.json`, which looks unknown bookings up in the booking system. */
export async function lookUpUnknownBookings(scene: Scene): Promise<void> {
  const run = await scene.run(template('reconcile-unknown', scene.booking.url), { mode: 'trigger' });
  if (run.error !== undefined) throw new Error(`Looking the bookings up failed: ${run.error.message}`);
}

/** The lease of a killed execution runs out, and the ledger's sweep finds it. */
export async function untilLeaseIsSwept({ ledger }: Scene, { orderId }: PaymentEvent): Promise<void> {
  const end = Date.now() + 20_000;
  while (Date.now() < end) {
    if ((await ledger.action(orderId, 'reserve-seat'))?.state !== 'in_progress') return;
    await delay(100);
  }
  throw new Error(`The ledger still has ${orderId} in progress, long after the lease of its killed holder`);
}
