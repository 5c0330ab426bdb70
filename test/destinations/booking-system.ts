import { CountingSystem, type Asked, type OrderRead } from './counting-system';
import type { DirectCallOptions } from './direct-call';
import { deskDefaults, type DeskOptions } from './effect-desk';
import type { Effect } from './effect-log';
import type { Answered } from './reply';

export interface BookingSystemOptions extends Partial<DeskOptions> {
  /** Book again for an order that already has a booking, as most real systems do. Default true; else 409. */
  allowDuplicates?: boolean;
}

/**
 * A fake booking system. `POST /bookings {orderId, …}` books a seat, `GET /bookings/<id>` and
 * `GET /bookings?reference=<orderId>` look it up. What it counts is what really happened, per order. It honours no
 * idempotency keys and can be looked up, unless it is started otherwise.
 */
export class BookingSystem extends CountingSystem {
  private readonly allowDuplicates: boolean;

  private constructor({ allowDuplicates = true, ...options }: BookingSystemOptions) {
    super('bookings', 'RSV', { ...deskDefaults, ...options });
    this.allowDuplicates = allowDuplicates;
  }

  static async start(options: BookingSystemOptions = {}): Promise<BookingSystem> {
    return new BookingSystem(options).open();
  }

  /** `POST /bookings` without HTTP: the same behaviours, the same effects. */
  book(orderId: string, options: DirectCallOptions = {}): Promise<Answered> {
    return this.direct({ orderId }, options);
  }

  /** The bookings that a look-up by order sees now. */
  lookUp(orderId: string): Effect[] {
    return this.desk.visible(orderId);
  }

  bookings(orderId: string): Effect[] {
    return this.effects.of(orderId);
  }

  protected read({ body: { orderId } }: Asked): OrderRead {
    if (typeof orderId !== 'string' || orderId === '') return { invalid: 'orderId is missing' };
    return { reference: orderId, objection: (known) => this.objection(orderId, known) };
  }

  protected find(query: URLSearchParams): Effect[] {
    return this.lookUp(query.get('reference') ?? '');
  }

  protected view({ id, reference, at }: Effect): object {
    return { reference: id, orderId: reference, bookedAt: at.toISOString() };
  }

  private objection(orderId: string, known: Effect | undefined) {
    if (known || this.allowDuplicates || this.effects.count(orderId) === 0) return undefined;
    return { status: 409, message: `Order ${orderId} has a booking already` };
  }
}
