import { BehaviourRules, type BehaviourRule } from './behaviour';
import { control } from './control-route';
import { EffectLog, type Effect } from './effect-log';
import { answer, listen, respond, type Call, type HttpDestination } from './http-exchange';
import { listenSmtp, type SmtpDestination } from './smtp-exchange';

export interface MailSystemOptions {
  /** Honour `Idempotency-Key` on the HTTP side: the same key gives the same mail again. Default false. */
  idempotencyKeys?: boolean;
  /** Offer `GET /mails?to=…&orderId=…`. Default false: mail is where nothing can be looked up. */
  lookUp?: boolean;
}

/**
 * A fake mail system with two doors: SMTP, and `POST /mails {to, orderId, subject, text}`. It counts accepted
 * mails per recipient and order. By SMTP the order is read from the subject line: `… (order workshop-842)`.
 */
export class MailSystem {
  readonly effects = new EffectLog('MSG');
  private readonly rules = new BehaviourRules();

  private http!: HttpDestination;
  private smtp!: SmtpDestination;

  private constructor(readonly options: Required<MailSystemOptions>) {}

  static async start(options: MailSystemOptions = {}): Promise<MailSystem> {
    const system = new MailSystem({ idempotencyKeys: false, lookUp: false, ...options });
    system.http = await listen((call) => system.handle(call));
    system.smtp = await listenSmtp({
      behaviourFor: (reference) => {
        system.effects.requested(reference);
        return system.rules.take(reference);
      },
      accepted: ({ reference, ...content }) => system.effects.happened(reference, content).id,
    });
    return system;
  }

  get url(): string {
    return this.http.url;
  }

  get smtpPort(): number {
    return this.smtp.port;
  }

  /** `reference` of a rule is {@link mailReference} of recipient and order. */
  behave(rule: BehaviourRule): void {
    this.rules.add(rule);
  }

  /** Mails accepted per recipient and order. */
  counts(): Record<string, number> {
    return this.effects.counts();
  }

  mails(to: string, orderId: string): Effect[] {
    return this.effects.of(mailReference(to, orderId));
  }

  reset(): void {
    this.rules.reset();
    this.effects.clear();
  }

  async stop(): Promise<void> {
    await Promise.all([this.http.close(), this.smtp.close()]);
  }

  private async handle(call: Call): Promise<void> {
    if (control(call, this.rules, this.effects)) return;
    const { method, url } = call;
    if (method === 'POST' && url.pathname === '/mails') return this.send(call);
    if (method === 'GET' && url.pathname === '/mails' && this.options.lookUp) {
      const { searchParams } = url;
      const found = this.mails(searchParams.get('to') ?? '', searchParams.get('orderId') ?? '');
      return answer(call.response, 200, { mails: found.map(view) });
    }
    answer(call.response, 404, { message: 'Nothing is here' });
  }

  private async send(call: Call): Promise<void> {
    const { to, orderId } = call.body;
    if (typeof to !== 'string' || typeof orderId !== 'string' || to === '' || orderId === '') {
      return answer(call.response, 422, { message: 'to and orderId are needed' });
    }
    const reference = mailReference(to, orderId);
    this.effects.requested(reference);
    const behaviour = call.wanted ?? this.rules.take(reference);
    const key = this.options.idempotencyKeys ? call.idempotencyKey : null;
    const known = key === null ? undefined : this.effects.withIdempotencyKey(key);
    return respond(call.response, behaviour, () =>
      view(known ?? this.effects.happened(reference, call.body, call.idempotencyKey)),
    );
  }
}

/** What a mail is counted by. */
export function mailReference(to: string, orderId: string): string {
  return `${to} ${orderId}`;
}

function view(effect: Effect): object {
  return { messageId: effect.id, acceptedAt: effect.at.toISOString() };
}
