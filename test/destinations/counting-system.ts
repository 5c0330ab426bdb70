import type { BehaviourRule } from './behaviour';
import { control } from './control-route';
import { directCall, type DirectCallOptions } from './direct-call';
import { EffectDesk, type DeskOptions, type Order } from './effect-desk';
import type { Effect, EffectLog } from './effect-log';
import { answer, listen, send, type Call, type HttpDestination } from './http-exchange';
import { replyOf, type Answered, type Reply } from './reply';

/** What a request asks for, by whatever door it came. */
export type Asked = Pick<Call, 'body' | 'idempotencyKey' | 'wanted'>;

/** The order that a request means, or why it means none. */
export type OrderRead = Pick<Order, 'reference' | 'label' | 'objection'> | { invalid: string };

/**
 * What all destinations have in common: `POST /<things>` has an effect that is counted, `GET /<things>/<id>` and
 * `GET /<things>?…` look effects up, and `/control` is for tests in other processes.
 */
export abstract class CountingSystem {
  protected readonly desk: EffectDesk;
  private address!: HttpDestination;

  /** `things` names path and list: `bookings`. */
  protected constructor(
    private readonly things: string,
    idPrefix: string,
    options: DeskOptions,
  ) {
    this.desk = new EffectDesk(idPrefix, options);
  }

  protected abstract read(asked: Asked): OrderRead;
  protected abstract find(query: URLSearchParams): Effect[];
  /** How the system shows an effect to its clients. */
  protected abstract view(effect: Effect): object;

  get url(): string {
    return this.address.url;
  }

  /** What really happened. */
  get effects(): EffectLog {
    return this.desk.effects;
  }

  behave(rule: BehaviourRule): void {
    this.desk.rules.add(rule);
  }

  /** Effects per reference. */
  counts(): Record<string, number> {
    return this.effects.counts();
  }

  /** Forgets rules and effects, also those that were still to come. */
  reset(): void {
    this.desk.reset();
  }

  async stop(): Promise<void> {
    this.desk.stop();
    await this.address.close();
  }

  protected async open(): Promise<this> {
    this.address = await listen((call) => this.handle(call));
    return this;
  }

  /** A POST without HTTP. */
  protected direct(body: Record<string, unknown>, { idempotencyKey, signal }: DirectCallOptions): Promise<Answered> {
    const asked = { body, idempotencyKey: idempotencyKey ?? null, wanted: null };
    return directCall(() => this.accept(asked), { signal, ended: this.desk.ended });
  }

  private async handle(call: Call): Promise<void> {
    if (control(call, this.desk)) return;
    const { method, url, response } = call;
    const path = `/${this.things}`;
    if (method === 'POST' && url.pathname === path) return send(response, await this.accept(call));
    if (method === 'GET' && this.desk.options.lookUp) {
      if (url.pathname === path) {
        return answer(response, 200, { [this.things]: this.find(url.searchParams).map((one) => this.view(one)) });
      }
      const found = this.desk.visibleWithId(url.pathname.slice(path.length + 1));
      if (url.pathname.startsWith(`${path}/`) && found) return answer(response, 200, this.view(found));
    }
    answer(response, 404, { message: 'Nothing is here' });
  }

  private async accept(asked: Asked): Promise<Reply> {
    const order = this.read(asked);
    if ('invalid' in order) return { status: 422, body: { message: order.invalid } };
    const { body: content, idempotencyKey, wanted } = asked;
    return replyOf(await this.desk.ask({ ...order, content, idempotencyKey, wanted }), (one) => this.view(one));
  }
}
