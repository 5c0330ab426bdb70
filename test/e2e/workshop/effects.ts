import { until } from '../stack/until';
import type { PaymentEvent } from './payment-event';

/** What really happened for one order, as the fake destinations counted. */
export function effectsOf({ orderId, email }: PaymentEvent): { bookings: number; mails: number } {
  return {
    bookings: stack.booking.bookings(orderId).length,
    mails: stack.mail.mails(email, orderId).length,
  };
}

/** Waits until the workflow is through: both actions of the order have left *in progress*. */
export async function settled(event: PaymentEvent): Promise<void> {
  await until(
    async () => {
      const seat = await stack.ledger.api.action(event.orderId, 'reserve-seat');
      const mail = await stack.ledger.api.action(event.orderId, 'send-confirmation');
      if (!seat || seat.state === 'in_progress') return false;
      return seat.state !== 'confirmed' || (mail !== undefined && mail.state !== 'in_progress');
    },
    { what: `order ${event.orderId} to be settled`, timeoutMs: 90_000 },
  );
  await noneRunning();
}

/** Waits until n8n has no execution under way. */
export async function noneRunning(): Promise<void> {
  await until(
    async () => {
      const filter = encodeURIComponent(JSON.stringify({ status: ['running', 'new'] }));
      const { results } = await stack.editor.call<{ results: unknown[] }>('GET', `/rest/executions?filter=${filter}`);
      return results.length === 0;
    },
    { what: 'n8n to finish its executions', timeoutMs: 90_000 },
  );
}
