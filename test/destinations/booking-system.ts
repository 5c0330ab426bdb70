import { BehaviourRules, type BehaviourRule } from './behaviour';
import { control } from './control-route';
import { EffectLog, type Effect } from './effect-log';
import { answer, listen, respond, type Call, type HttpDestination } from './http-exchange';

export interface BookingSystemOptions {
  /** Book again for an order that already has a booking, as most real systems do. Default true; else 409. */
  allowDuplicates?: boolean;
  /** Honour `Idempotency-Key`: the same key gives the same booking again. Default false. */
  idempotencyKeys?: boolean;
  /** Offer `GET /bookings?reference=<order>`. Default true. */
  lookUp?: boolean;
}

/**
 * A fake booking system. `POST /bookings {orderId, …}` books a seat, `GET /bookings/<id>` and
 * `GET /bookings?reference=<orderId>` look it up. What it counts is what really happened, per order.
 */
export class BookingSystem {
  readonly effects = new EffectLog('RSV');
  private readonly rules = new BehaviourRules();

  private address!: HttpDestination;

  private constructor(readonly options: Required<BookingSystemOptions>) {}

  static async start(options: BookingSystemOptions = {}): Promise<BookingSystem> {
    const system = new BookingSystem({ allowDuplicates: true, idempotencyKeys: false, lookUp: true, ...options });
    system.address = await listen((call) => system.handle(call));
    return system;
  }

  get url(): string {
    return this.address.url;
  }

  behave(rule: BehaviourRule): void {
    this.rules.add(rule);
  }

  /** Seats booked per order. */
  counts(): Record<string, number> {
    return this.effects.counts();
  }

  bookings(orderId: string): Effect[] {
    return this.effects.of(orderId);
  }

  reset(): void {
    this.rules.reset();
    this.effects.clear();
  }

  async stop(): Promise<void> {
    await this.address.close();
  }

  private async handle(call: Call): Promise<void> {
    if (control(call, this.rules, this.effects)) return;
    const { method, url } = call;
    if (method === 'POST' && url.pathname === '/bookings') return this.book(call);
    if (method === 'GET' && url.pathname === '/bookings' && this.options.lookUp) {
      const found = this.effects.of(url.searchParams.get('reference') ?? '');
      return answer(call.response, 200, { bookings: found.map(view) });
    }
    if (method === 'GET' && url.pathname.startsWith('/bookings/') && this.options.lookUp) {
      const found = this.effects.withId(url.pathname.slice('/bookings/'.length));
      if (found) return answer(call.response, 200, view(found));
    }
    answer(call.response, 404, { message: 'Nothing is here' });
  }

  private async book(call: Call): Promise<void> {
    const orderId = call.body.orderId;
    if (typeof orderId !== 'string' || orderId === '') {
      return answer(call.response, 422, { message: 'orderId is missing' });
    }
    this.effects.requested(orderId);
    const behaviour = call.wanted ?? this.rules.take(orderId);
    const key = this.options.idempotencyKeys ? call.idempotencyKey : null;
    const known = key === null ? undefined : this.effects.withIdempotencyKey(key);
    if (!known && !this.options.allowDuplicates && this.effects.of(orderId).length > 0) {
      return answer(call.response, 409, { message: `Order ${orderId} has a booking already` });
    }
    return respond(call.response, behaviour, () =>
      view(known ?? this.effects.happened(orderId, call.body, call.idempotencyKey)),
    );
  }
}

function view(effect: Effect): object {
  return { reference: effect.id, orderId: effect.reference, bookedAt: effect.at.toISOString() };
}
