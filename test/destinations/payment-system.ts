import { CountingSystem, type Asked, type OrderRead } from './counting-system';
import type { DirectCallOptions } from './direct-call';
import { deskDefaults, type DeskOptions } from './effect-desk';
import type { Effect } from './effect-log';
import type { Answered } from './reply';

export interface Payment {
  orderId: string;
  /** In the currency's smallest unit: 4900 is 49.00 THB. */
  amount: number;
  /** ISO 4217. */
  currency: string;
  /** Kept with the payment. `action_key` is where a ledger's key belongs, so that a look-up finds it. */
  metadata?: Record<string, string>;
}

const DAY_MS = 86_400_000;

/**
 * A fake payment system. `POST /payments {orderId, amount, currency, metadata}` takes money, `GET /payments/<id>`,
 * `GET /payments?reference=<orderId>` and `GET /payments?action_key=<key>` look it up. As such systems do, it honours
 * `Idempotency-Key` for a day and refuses one that comes again with another payment, unless it is started otherwise.
 */
export class PaymentSystem extends CountingSystem {
  private constructor(options: Partial<DeskOptions>) {
    super('payments', 'PAY', { ...deskDefaults, idempotencyKeys: true, keyWindowMs: DAY_MS, ...options });
  }

  static async start(options: Partial<DeskOptions> = {}): Promise<PaymentSystem> {
    return new PaymentSystem(options).open();
  }

  /** `POST /payments` without HTTP: the same behaviours, the same effects. */
  pay(payment: Payment, options: DirectCallOptions = {}): Promise<Answered> {
    return this.direct({ ...payment }, options);
  }

  /** The payments that a look-up by order, or by action key, sees now. */
  lookUp(by: { orderId: string } | { actionKey: string }): Effect[] {
    return 'orderId' in by ? this.desk.visible(by.orderId) : this.desk.visibleWithLabel(by.actionKey);
  }

  payments(orderId: string): Effect[] {
    return this.effects.of(orderId);
  }

  protected read({ body }: Asked): OrderRead {
    const { orderId, amount, currency, metadata } = body;
    if (typeof orderId !== 'string' || orderId === '') return { invalid: 'orderId is missing' };
    if (!Number.isSafeInteger(amount) || (amount as number) <= 0) return { invalid: 'amount is no positive integer' };
    if (typeof currency !== 'string' || !/^[A-Za-z]{3}$/.test(currency))
      return { invalid: 'currency has not 3 letters' };
    return { reference: orderId, label: actionKeyOf(metadata), objection: (known) => objection(body, known) };
  }

  protected find(query: URLSearchParams): Effect[] {
    const actionKey = query.get('action_key');
    return this.lookUp(actionKey === null ? { orderId: query.get('reference') ?? '' } : { actionKey });
  }

  protected view({ id, reference, at, content }: Effect): object {
    const { amount, currency, metadata = {} } = content;
    return { id, status: 'succeeded', orderId: reference, amount, currency, metadata, createdAt: at.toISOString() };
  }
}

function actionKeyOf(metadata: unknown): string | undefined {
  const key = (metadata as Record<string, unknown> | null | undefined)?.action_key;
  return typeof key === 'string' ? key : undefined;
}

/** The same key for something else is a mistake of the client, and answered as one. */
function objection(body: Record<string, unknown>, known: Effect | undefined) {
  const same = (['orderId', 'amount', 'currency'] as const).every((field) => known?.content[field] === body[field]);
  if (!known || same) return undefined;
  return { status: 400, message: `This idempotency key was used for another payment: ${known.id}` };
}
