import { paymentEvent } from '../payment-event';
import { withoutGuards } from '../without-guards';
import { cancellation } from '../workflows';
import type { Case } from './case';

const payment = paymentEvent('workshop-847', { occurredAt: '2026-10-20T09:00:00Z' });
const cancelled = { ...payment, id: 'evt_workshop-847_cancelled', occurredAt: '2026-10-20T09:30:00Z' };

export const lateEvent: Case = {
  title: 'An older event comes after a newer one',
  story: 'The order was paid at 09:00 and cancelled at 09:30. The cancellation arrives first, the payment last.',
  events: [payment],
  intended: { bookings: 0, mails: 0 },
  damage: 'cancelled, yet booked',
  play: async (scene) => {
    const workflow = cancellation();
    await scene.run(scene.guarded ? workflow : withoutGuards(workflow), { items: [{ body: cancelled }] });
    await scene.deliver(payment);
  },
};
