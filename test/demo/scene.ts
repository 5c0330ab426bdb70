import type { Engine, FinishedRun, RunOptions, WorkflowDefinition } from '@action-ledger/test-nodes';
import { BookingSystem, mailReference, MailSystem } from 'action-ledger-destinations';

import { Decisions } from './decisions';
import type { ActionView, LedgerProcess } from './ledger-process';
import type { PaymentEvent } from './payment-event';
import { withoutGuards } from './without-guards';
import { setOption, template } from './workflows';
import { withCredential, workshopEngine } from './workshop-engine';

export interface Effects {
  bookings: number;
  mails: number;
}

/** An option of a node of the workflow, set as a builder would. */
export type Option = readonly [node: string, name: string, value: unknown];

export interface SceneSettings {
  guarded: boolean;
  ledger: LedgerProcess;
  options?: readonly Option[];
  mailTimeoutMs?: number;
}

/** One playing of one case: the workshop's workflow, with or without its guards, and destinations of its own. */
export class Scene {
  readonly decisions = new Decisions();

  private constructor(
    readonly guarded: boolean,
    readonly ledger: LedgerProcess,
    readonly booking: BookingSystem,
    readonly mail: MailSystem,
    private readonly options: readonly Option[],
    private readonly engine: Engine,
  ) {}

  static async open({ guarded, ledger, options = [], mailTimeoutMs = 10_000 }: SceneSettings): Promise<Scene> {
    const [booking, mail] = await Promise.all([BookingSystem.start(), MailSystem.start()]);
    const engine = await workshopEngine({ ledger, mailServer: { port: mail.smtpPort, timeoutMs: mailTimeoutMs } });
    return new Scene(guarded, ledger, booking, mail, options, engine);
  }

  async close(): Promise<void> {
    await Promise.all([this.booking.stop(), this.mail.stop()]);
  }

  /** The workflow of `workflows/workshop-booking.json`, as this scene has it. */
  workflow(): WorkflowDefinition {
    const workflow = template('workshop-booking', this.booking.url);
    for (const option of this.options) setOption(workflow, ...option);
    return withCredential(this.guarded ? workflow : withoutGuards(workflow));
  }

  /** An event arrives at the webhook. */
  async deliver(event: PaymentEvent, options: RunOptions = {}): Promise<FinishedRun> {
    return this.run(this.workflow(), { items: [{ body: event }], ...options });
  }

  /**
   * A person presses Retry. n8n offers it for executions that failed, and goes on at the step that failed; an execution
   * that ended well can be run again from its trigger. Both are executions of their own.
   */
  async again(run: FinishedRun, event: PaymentEvent): Promise<FinishedRun> {
    if (run.error === undefined) return this.deliver(event, { mode: 'manual' });
    return this.engine.retry(run, this.workflow());
  }

  async run(workflow: WorkflowDefinition, options: RunOptions = {}): Promise<FinishedRun> {
    const definition = withCredential(workflow);
    const run = await this.engine.run(definition, options);
    this.decisions.add(definition, run);
    return run;
  }

  /** What really happened, as the destinations counted. */
  effects(orders: readonly PaymentEvent[]): Effects {
    const distinct = [...new Map(orders.map((event) => [event.orderId, event])).values()];
    const sum = (count: (event: PaymentEvent) => number) => distinct.reduce((total, event) => total + count(event), 0);
    return {
      bookings: sum(({ orderId }) => this.booking.counts()[orderId] ?? 0),
      mails: sum(({ orderId, email }) => this.mail.counts()[mailReference(email, orderId)] ?? 0),
    };
  }

  /** The states that the ledger has for the orders' bookings and mails. */
  async states(orders: readonly PaymentEvent[]): Promise<ActionView['state'][]> {
    const subjects = [...new Set(orders.map(({ orderId }) => orderId))];
    const asked = subjects.flatMap((subject) =>
      ['reserve-seat', 'send-confirmation'].map((operation) => this.ledger.action(subject, operation)),
    );
    return (await Promise.all(asked)).flatMap((action) => (action === undefined ? [] : [action.state]));
  }
}
