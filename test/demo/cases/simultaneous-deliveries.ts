import { paymentEvent } from '../payment-event';
import type { Case } from './case';

const DELIVERIES = 50;
const event = paymentEvent('workshop-843');

export const simultaneousDeliveries: Case = {
  title: `${DELIVERIES} deliveries at the same moment`,
  story: `${event.id} arrives ${DELIVERIES} times at once. Whoever looks first whether it was done finds nothing.`,
  events: [event],
  intended: { bookings: 1, mails: 1 },
  damage: `booked ${DELIVERIES} times`,
  play: async (scene) => {
    await Promise.all(Array.from({ length: DELIVERIES }, () => scene.deliver(event)));
  },
};
