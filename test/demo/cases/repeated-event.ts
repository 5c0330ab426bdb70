import { paymentEvent } from '../payment-event';
import type { Case } from './case';

const event = paymentEvent('workshop-842');

export const repeatedEvent: Case = {
  title: 'The same event is delivered again',
  story: `${event.id} is handled. Its acknowledgement gets lost, so the provider sends it again.`,
  events: [event],
  intended: { bookings: 1, mails: 1 },
  damage: 'booked twice',
  play: async (scene) => {
    await scene.deliver(event);
    await scene.deliver(event);
  },
};
