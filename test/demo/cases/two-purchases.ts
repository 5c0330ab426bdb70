import { paymentEvent } from '../payment-event';
import type { Case } from './case';

const one = paymentEvent('workshop-845');
const other = paymentEvent('workshop-846');

export const twoPurchases: Case = {
  title: 'Two real purchases that look alike',
  story: `${one.orderId} and ${other.orderId}: one customer, one amount, two seats wanted. Both must be booked.`,
  events: [one, other],
  intended: { bookings: 2, mails: 2 },
  damage: null,
  play: async (scene) => {
    await Promise.all([scene.deliver(one), scene.deliver(other)]);
  },
};
