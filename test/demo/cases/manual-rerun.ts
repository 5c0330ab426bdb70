import { paymentEvent } from '../payment-event';
import type { Case } from './case';

const event = paymentEvent('workshop-850');

export const manualRerun: Case = {
  title: 'A person runs it again',
  story: 'The execution ended well. Somebody runs it again: another execution, with another ID.',
  events: [event],
  intended: { bookings: 1, mails: 1 },
  damage: 'booked twice',
  play: async (scene) => {
    const run = await scene.deliver(event);
    await scene.again(run, event);
  },
};
