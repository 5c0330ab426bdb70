import { runAndKill } from '../crash/run-and-kill';
import { paymentEvent } from '../payment-event';
import { lookUpUnknownBookings, untilLeaseIsSwept } from '../reconcile';
import type { Case } from './case';

const event = paymentEvent('workshop-849');
const LEASE_SECONDS = 4;

export const crashAfterBooking: Case = {
  title: 'A crash after the booking',
  story: `The worker is killed (SIGKILL) between the booking and what comes next. Lease: ${LEASE_SECONDS} s. The event is delivered again.`,
  events: [event],
  intended: { bookings: 1, mails: 1 },
  damage: 'booked twice',
  options: [['Claim Seat', 'leaseSeconds', LEASE_SECONDS]],
  play: async (scene) => {
    await runAndKill(scene, event);
    await scene.deliver(event);
    if (!scene.guarded) return;
    await untilLeaseIsSwept(scene, event);
    await scene.deliver(event);
  },
  resolve: {
    title: 'Then the workflow "Reconcile unknown bookings" finds the order, and the event comes once more.',
    play: async (scene) => {
      await lookUpUnknownBookings(scene);
      await scene.deliver(event);
    },
  },
};
