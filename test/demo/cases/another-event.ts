import { paymentEvent } from '../payment-event';
import type { Case } from './case';

const first = paymentEvent('workshop-844');
const second = paymentEvent('workshop-844', { id: 'evt_workshop-844_B', occurredAt: '2026-10-20T09:00:02Z' });

export const anotherEvent: Case = {
  title: 'Another event for the same order',
  story: `${first.id} and ${second.id} report the same purchase. Remembering event IDs does not help.`,
  events: [first, second],
  intended: { bookings: 1, mails: 1 },
  damage: 'booked twice',
  play: async (scene) => {
    await scene.deliver(first);
    await scene.deliver(second);
  },
};
