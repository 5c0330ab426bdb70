/** A payment as its provider reports it. Several events can be about one order. */
export interface PaymentEvent {
  id: string;
  orderId: string;
  occurredAt: string;
  email: string;
  seats: number;
}

export function paymentEvent(orderId: string, changes: Partial<PaymentEvent> = {}): PaymentEvent {
  return {
    id: `evt_${orderId}_A`,
    orderId,
    occurredAt: '2026-10-20T09:00:00Z',
    email: 'mali@example.com',
    seats: 1,
    ...changes,
  };
}
