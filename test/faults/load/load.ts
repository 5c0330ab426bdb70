import { type Random } from '../random';
import { deliver } from './delivery';
import { type Destination } from './destination';
import { Journal } from './journal';
import { LedgerClient, NoAnswer } from './ledger-client';
import { type LoadSettings } from './settings';

export interface LoadOptions {
  settings: LoadSettings;
  /** Begins the subjects of this load, so that they are nobody else's. */
  prefix: string;
  random: Random;
  urls: () => readonly string[];
  destination: Destination;
}

/** Workers that each take the next delivery until there is none: claim, step, receipt. */
export class Load {
  readonly journal: Journal;
  private readonly deliveries: { subject: string; eventId: string }[];
  private taken = 0;
  private handled = 0;
  private readonly running: Promise<void>;
  private readonly client: LedgerClient;
  private watchers: { until: number; resolve: () => void }[] = [];

  constructor(private readonly options: LoadOptions) {
    const { settings, random, urls } = options;
    this.journal = new Journal((subject) => options.destination.effectsOf(subject));
    this.deliveries = this.plan();
    this.client = new LedgerClient({
      urls,
      callMs: settings.callMs,
      patienceMs: settings.patienceMs,
      recorder: this.journal.calls,
      onAnswered: (waitedMs) => (this.journal.longestWaitMs = Math.max(this.journal.longestWaitMs, waitedMs)),
    });
    this.running = Promise.all(Array.from({ length: settings.workers }, () => this.work(random.fork()))).then(
      () => undefined,
    );
  }

  /** Resolves when every delivery was handled or given up. */
  async finish(): Promise<Journal> {
    await this.running;
    return this.journal;
  }

  /** Resolves when so much of the load was handled; 0.5 is half of it. */
  async reached(part: number): Promise<void> {
    const until = Math.floor(part * this.deliveries.length);
    if (this.handled >= until) return;
    await new Promise<void>((resolve) => this.watchers.push({ until, resolve }));
  }

  get finished(): boolean {
    return this.handled >= this.deliveries.length;
  }

  /** A repeated delivery stands right beside its first, so that two workers meet it at the same moment. */
  private plan(): { subject: string; eventId: string }[] {
    const { settings, prefix, random } = this.options;
    return Array.from({ length: settings.actions }, (_, index) => `${prefix}-${index}`).flatMap((subject) => {
      const times = random.percent(settings.repeatedPercent) ? random.between(2, 3) : 1;
      return Array.from({ length: times }, () => ({ subject, eventId: `evt-${subject}` }));
    });
  }

  private async work(random: Random): Promise<void> {
    const { settings, destination } = this.options;
    while (this.taken < this.deliveries.length) {
      const part = this.deliveries.slice(this.taken, this.taken + random.between(...settings.itemsPerCall));
      const deliveries = part.map((delivery, index) => ({ ...delivery, number: this.taken + index }));
      this.taken += part.length;
      for (const { subject } of deliveries) this.journal.subjects.add(subject);
      try {
        await deliver(deliveries, { client: this.client, destination, journal: this.journal, random, settings });
      } catch (error) {
        const words = error instanceof NoAnswer ? error.message : String((error as Error).stack ?? error);
        this.journal.surprises.push(`${deliveries[0]?.subject}: ${words}`);
      }
      this.handled += deliveries.length;
      this.watchers = this.watchers.filter(({ until, resolve }) => {
        if (this.handled < until) return true;
        resolve();
        return false;
      });
    }
  }
}
