import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { BookingSystem } from '../../destinations';
import { type Run } from '../fault';
import { Journal } from '../load/journal';
import { OPERATION } from '../load/settings';
import { API_KEY, LedgerService } from '../servers/ledger-service';
import { PostgresServer } from '../servers/postgres-server';
import { compileWorker } from './compile-worker';
import { type Job } from './job';
import { type ActionView, type Finding, Owner } from './owner';
import { WorkerPool } from './worker-pool';
import { type Report, type WorkerProcess } from './worker-process';

/** The shortest there is: what is done to workers shows itself when their lease is over. */
export const LEASE_SECONDS = 1;

/** Longer than a worker stands still, on a busy machine too: it then gets the answer, late as it is. */
const STEP_MS = 30_000;
const PATIENCE_MS = 60_000;

export interface WorkplaceOptions {
  /** Whether the destination honours the ledger's idempotency key. */
  idempotencyKeys: boolean;
  settleSeconds: number;
  /** Workers that stand ready. */
  workers: number;
}

/** How an action came to its rest. */
export interface Recovery {
  /** What the owner found each time that the action was unknown, and why it was. */
  findings: { finding: Finding; cause: string | null }[];
  /** The event again, after it was found that nothing had happened. */
  redelivered: Report[];
  action: ActionView;
}

/** A ledger, a destination that counts, workers that can be killed and an owner: the faults of workers happen here. */
export class Workplace {
  private settleSeconds: number | null;

  private constructor(
    private readonly postgres: PostgresServer,
    private readonly service: LedgerService,
    readonly booking: BookingSystem,
    readonly workers: WorkerPool,
    readonly owner: Owner,
    options: WorkplaceOptions,
  ) {
    this.settleSeconds = options.settleSeconds;
  }

  static async start(run: Run, options: WorkplaceOptions): Promise<Workplace> {
    const postgres = await PostgresServer.start(path.join(run.folder, 'data'));
    run.atEnd(() => postgres.stop());
    const service = await LedgerService.start({ databaseUrl: postgres.url, folder: run.folder });
    run.atEnd(() => service.stop());
    const booking = await BookingSystem.start({ idempotencyKeys: options.idempotencyKeys });
    run.atEnd(() => booking.stop());
    const workers = new WorkerPool(compileWorker(run.folder), options.workers);
    run.atEnd(() => workers.stop());
    await workers.refill();
    const owner = new Owner({ ledgerUrl: service.url, destinationUrl: booking.url });
    return new Workplace(postgres, service, booking, workers, owner, options);
  }

  /** What is the same for every fault of workers. */
  get site() {
    return {
      urls: [this.service.url],
      databaseUrl: this.postgres.url,
      load: { leaseSeconds: LEASE_SECONDS },
      inject(this: void): Promise<void> {
        throw new Error('The workers of this fault are its own');
      },
    };
  }

  /** A new journal, whose destination is this one's. */
  async begin(): Promise<Journal> {
    if (this.settleSeconds !== null) await this.owner.setSettleSeconds(this.settleSeconds);
    this.settleSeconds = null;
    return new Journal((subject) => this.booking.bookings(subject).map(({ id }) => id));
  }

  job(subject: string, how: Partial<Job> = {}): Job {
    return {
      subject,
      operation: OPERATION,
      eventId: `evt-${subject}`,
      ledgerUrl: this.service.url,
      apiKey: API_KEY,
      destinationUrl: this.booking.url,
      leaseSeconds: LEASE_SECONDS,
      waitMs: 0,
      stepMs: STEP_MS,
      ...how,
    };
  }

  /** One delivery of the subject's event, by some worker, to its end. */
  async deliver(journal: Journal, subject: string, how: Partial<Job> = {}): Promise<Report> {
    const worker = await this.workers.take();
    return this.finished(journal, worker, worker.perform(this.job(subject, how), journal.calls).ended);
  }

  /** Waits for a worker's end, keeps what it was told, and lets it have other work. */
  async finished(journal: Journal, worker: WorkerProcess, ended: Promise<Report>): Promise<Report> {
    const report = await ended;
    keep(journal, report);
    this.workers.give(worker);
    return report;
  }

  /**
   * What a shop with a ledger does until an order is done: the event is delivered again while the ledger lets it, and
   * the owner looks up what is unknown.
   */
  async recover(journal: Journal, subject: string): Promise<Recovery> {
    const end = performance.now() + PATIENCE_MS;
    const findings: Recovery['findings'] = [];
    const redelivered: Report[] = [];
    while (performance.now() < end) {
      const action = await this.owner.find(journal.calls, subject);
      if (action?.state === 'confirmed') return { findings, redelivered, action };
      if (action?.state === 'unknown') {
        const finding = await this.owner.resolve(journal.calls, subject, action);
        if (finding !== null) findings.push({ finding, cause: action.cause });
        else await sleep(50);
      } else if (action?.state === 'in_progress') await sleep(50);
      else redelivered.push(await this.deliver(journal, subject));
    }
    throw new Error(`${subject} was not done within ${PATIENCE_MS} ms`);
  }
}

/** What the ledger told a worker, which none of it may take back. */
function keep(journal: Journal, { job: { subject, eventId }, requestToken, claimed, receipt }: Report): void {
  journal.subjects.add(subject);
  if (claimed === undefined) return;
  const { attempt, decision } = claimed;
  journal.events.push({ subject, id: eventId });
  if (decision === 'proceed') journal.grants.push({ subject, attempt, requestToken: requestToken ?? '' });
  if (receipt === undefined) return;
  const { outcome, reference } = receipt;
  journal.receipts.push({ subject, attempt, outcome, ...(reference !== undefined && { reference }) });
}

/** Says what is not as it must be. */
export function insist(journal: Journal, subject: string, holds: boolean, otherwise: string): void {
  if (!holds) journal.surprises.push(`${subject}: ${otherwise}`);
}
