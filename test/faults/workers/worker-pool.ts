import { WorkerProcess } from './worker-process';

/** Workers that are started before they are needed, since a process takes longer to start than a job to be done. */
export class WorkerPool {
  private readonly living = new Set<WorkerProcess>();
  private idle: WorkerProcess[] = [];
  private starting = 0;
  private closed = false;

  constructor(
    private readonly program: string,
    private readonly size: number,
  ) {}

  /** A worker that is at nothing. Give it back in the end, also one that was killed. */
  async take(): Promise<WorkerProcess> {
    return this.idle.pop() ?? (await this.start());
  }

  /** In the place of a dead one another is started, without anybody waiting for it. */
  give(worker: WorkerProcess): void {
    if (!worker.gone) return void this.idle.push(worker);
    this.living.delete(worker);
    void this.refill().catch(() => undefined);
  }

  /** Resolves when so many stand ready as there should be. */
  async refill(): Promise<void> {
    const missing = Math.max(0, this.size - this.living.size - this.starting);
    this.idle.push(...(await Promise.all(Array.from({ length: missing }, () => this.start()))));
  }

  async stop(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.living].map((worker) => worker.kill()));
  }

  private async start(): Promise<WorkerProcess> {
    this.starting += 1;
    try {
      const worker = await WorkerProcess.start(this.program);
      this.living.add(worker);
      if (this.closed) await worker.kill();
      return worker;
    } finally {
      this.starting -= 1;
    }
  }
}
