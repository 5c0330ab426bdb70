import { paymentEvent } from '../payment-event';
import { lookUpUnknownBookings } from '../reconcile';
import type { Case } from './case';

const event = paymentEvent('workshop-848');

export const lateAnswer: Case = {
  title: 'The booking answers too late',
  story: 'The seat is booked, but the answer comes after the time-out. The event is delivered again.',
  events: [event],
  intended: { bookings: 1, mails: 1 },
  damage: 'booked twice',
  options: [['Book Seat', 'timeout', 500]],
  play: async (scene) => {
    scene.booking.behave({ name: 'late', delayMs: 1_000, times: 1 });
    await scene.deliver(event);
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
