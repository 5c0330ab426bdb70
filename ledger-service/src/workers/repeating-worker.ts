import { setTimeout as sleep } from 'node:timers/promises';

export interface WorkerLog {
  warn(facts: object, message: string): void;
  info(facts: object, message: string): void;
}

export interface WorkerOptions {
  name: string;
  /** From the end of one run to the start of the next, in milliseconds; spread by ±20 %, so that replicas do not keep step. */
  everyMs: number;
  /** Answers whether there is more to do at once. */
  run: () => Promise<boolean>;
  log: WorkerLog;
}

/** Runs again and again until it is stopped. A failing run is logged once per outage, and tried again. */
export class RepeatingWorker {
  private readonly ending = new AbortController();
  private loop: Promise<void> | null = null;
  private failing = false;

  constructor(private readonly options: WorkerOptions) {}

  start(): void {
    this.loop ??= this.repeat();
  }

  /** Resolves when the run under way has ended. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.loop;
  }

  private async repeat(): Promise<void> {
    while (!this.ending.signal.aborted) {
      const more = await this.runOnce();
      if (more) continue;
      await sleep(this.options.everyMs * (0.8 + Math.random() * 0.4), undefined, { signal: this.ending.signal }).catch(
        () => undefined,
      );
    }
  }

  private async runOnce(): Promise<boolean> {
    const { name, run, log } = this.options;
    try {
      const more = await run();
      if (this.failing) log.info({ worker: name }, `The worker "${name}" works again`);
      this.failing = false;
      return more;
    } catch (err) {
      if (!this.failing) log.warn({ worker: name, err }, `The worker "${name}" failed; it goes on trying`);
      this.failing = true;
      return false;
    }
  }
}
