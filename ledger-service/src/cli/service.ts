import { type FastifyInstance } from 'fastify';
import { type Logger } from 'pino';

import { buildApp } from '../http/app';
import { Metrics } from '../http/metrics';
import { Ledger } from '../store/ledger';
import { detailsRetention } from '../workers/details-retention';
import { leaseSweep } from '../workers/lease-sweep';
import { VERSION } from './version';

export interface ServiceOptions {
  databaseUrl: string;
  directUrl: string | undefined;
  redisUrl: string | undefined;
  /** How often the retention looks for details that are due to be erased, in milliseconds. */
  retentionEveryMs: number;
  log: Logger;
}

/** A ledger with its workers and its HTTP side. */
export class Service {
  private constructor(
    readonly ledger: Ledger,
    private readonly app: FastifyInstance,
    private readonly workers: { start(): void; stop(): Promise<void> }[],
  ) {}

  /** Opens the ledger without listening; `prepare` has its say before anything is read from it. */
  static async open(
    { databaseUrl, directUrl, redisUrl, retentionEveryMs, log }: ServiceOptions,
    prepare: (ledger: Ledger) => Promise<void>,
  ): Promise<Service> {
    const metrics = new Metrics();
    const ledger = new Ledger({
      databaseUrl,
      ...(directUrl !== undefined && { directUrl }),
      ...(redisUrl !== undefined && { redisUrl }),
      log,
      onBatch: (kind, size) => {
        metrics.batch(kind, size);
      },
      onError: (err, { command }) => {
        log.error({ err, command: command.kind }, 'One item could not be stored; its neighbours were');
      },
    });
    try {
      await prepare(ledger);
      const ledgerId = await ledger.id();
      const app = await buildApp({ ledger, ledgerId, version: VERSION, log, metrics });
      const sweep = leaseSweep(ledger, log, (ended) => {
        metrics.sweep(ended);
        log.info({ ended }, 'Leases ended without a receipt; their actions are unknown now');
      });
      const retention = detailsRetention(ledger.retention, {
        everyMs: retentionEveryMs,
        log,
        onErased: (erased) => {
          metrics.erase(erased);
        },
      });
      return new Service(ledger, app, [sweep, retention]);
    } catch (error) {
      await ledger.stop();
      throw error;
    }
  }

  /** Answers the address that it listens on. */
  async listen(options: { host: string; port: number }): Promise<string> {
    const url = await this.app.listen(options);
    this.ledger.start();
    for (const worker of this.workers) worker.start();
    return url;
  }

  /**
   * Takes no new connections, finishes what is under way, then lets go of the database. What is not finished in time is
   * cut off, and `false` is answered.
   */
  async close(withinMs: number): Promise<boolean> {
    let late = false;
    const cutOff = setTimeout(() => {
      late = true;
      this.app.server.closeAllConnections();
    }, withinMs);
    await this.app.close();
    clearTimeout(cutOff);
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await this.ledger.stop();
    return !late;
  }
}
