import { randomInt } from 'node:crypto';

import { postToWebhook, type WebhookAnswer } from '../stack/webhook';

export interface PaymentEvent {
  id: string;
  occurredAt: string;
  orderId: string;
  email: string;
  seats: number;
}

/** An order that no other test uses. */
export function newOrderId(): string {
  return `workshop-${randomInt(10_000_000, 99_999_999)}`;
}

export function paymentEvent(orderId = newOrderId(), changes: Partial<PaymentEvent> = {}): PaymentEvent {
  return {
    id: `evt_${randomInt(10_000_000, 99_999_999)}`,
    occurredAt: new Date().toISOString(),
    orderId,
    email: 'mali@example.com',
    seats: 1,
    ...changes,
  };
}

/** Sends a payment event to the published workshop workflow. */
export function deliver(event: PaymentEvent): Promise<WebhookAnswer> {
  return postToWebhook('workshop-booking', event);
}
