import { CountingSystem, type Asked, type OrderRead } from './counting-system';
import type { DirectCallOptions } from './direct-call';
import { deskDefaults, type DeskOptions } from './effect-desk';
import type { Effect } from './effect-log';
import type { Answered } from './reply';
import { listenSmtp, type SmtpDestination } from './smtp-exchange';

/**
 * A fake mail system with two doors: SMTP, and `POST /mails {to, orderId, subject, text}`. It counts accepted
 * mails per recipient and order. By SMTP the order is read from the subject line: `… (order workshop-842)`.
 * It honours no idempotency keys and cannot be looked up (`GET /mails?to=…&orderId=…`), since mail is where nothing can
 * be, unless it is started otherwise.
 */
export class MailSystem extends CountingSystem {
  private smtp!: SmtpDestination;

  private constructor(options: Partial<DeskOptions>) {
    super('mails', 'MSG', { ...deskDefaults, lookUp: false, ...options });
  }

  static async start(options: Partial<DeskOptions> = {}): Promise<MailSystem> {
    const system = await new MailSystem(options).open();
    system.smtp = await listenSmtp(({ reference, ...content }) =>
      system.desk.ask({ reference, content, idempotencyKey: null }),
    );
    return system;
  }

  get smtpPort(): number {
    return this.smtp.port;
  }

  /** `POST /mails` without HTTP: the same behaviours, the same effects. */
  send(mail: { to: string; orderId: string; subject?: string }, options: DirectCallOptions = {}): Promise<Answered> {
    return this.direct({ ...mail }, options);
  }

  mails(to: string, orderId: string): Effect[] {
    return this.effects.of(mailReference(to, orderId));
  }

  override async stop(): Promise<void> {
    await Promise.all([super.stop(), this.smtp.close()]);
  }

  protected read({ body: { to, orderId } }: Asked): OrderRead {
    if (typeof to !== 'string' || typeof orderId !== 'string' || to === '' || orderId === '') {
      return { invalid: 'to and orderId are needed' };
    }
    return { reference: mailReference(to, orderId) };
  }

  protected find(query: URLSearchParams): Effect[] {
    return this.desk.visible(mailReference(query.get('to') ?? '', query.get('orderId') ?? ''));
  }

  protected view({ id, at }: Effect): object {
    return { messageId: id, acceptedAt: at.toISOString() };
  }
}

/** What a mail is counted by, and what the `reference` of a rule means here. */
export function mailReference(to: string, orderId: string): string {
  return `${to} ${orderId}`;
}
