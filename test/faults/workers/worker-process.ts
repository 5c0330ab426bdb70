import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

import { type HistoryRecorder } from '../../model/checker';
import { type Acknowledged, type Claimed, type FromWorker, type Job, type LedgerOperation, type ToWorker } from './job';

/** What a worker was answered for one job, before it ended or was killed. */
export interface Report {
  job: Job;
  requestToken?: string | null;
  claimed?: Claimed;
  receipt?: Acknowledged;
}

/** A job that a worker is at. */
export interface UnderWay {
  /** It is at the moment where something is to be done to it; false where it ended without coming there. */
  reached: Promise<boolean>;
  /** Settles when the job is done, or the worker killed. Rejects where the worker failed. */
  ended: Promise<Report>;
}

type Answered = (answer: Claimed | Acknowledged | 'maybe') => void;

const alive = new Set<ChildProcess>();

// A stopped process ends by nothing else.
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** The parent's end of a worker: what it is told, what is done to it, and what it asked of the ledger. */
export class WorkerProcess {
  private work: { report: Report; recorder: HistoryRecorder } | null = null;
  private waiting: LedgerOperation | null = null;
  private asking: { operation: LedgerOperation; answered: Answered } | null = null;
  private held = false;
  private settleReached: (there: boolean) => void = () => undefined;
  private settleEnded: (error: Error | null) => void = () => undefined;
  private killed = false;

  private constructor(private readonly child: ChildProcess) {
    alive.add(child);
    child.on('message', (message: FromWorker) => this.heard(message));
    // It was killed while it was being told something.
    child.on('error', () => undefined);
    child.on('exit', (code, signal) => {
      alive.delete(child);
      this.end(this.killed ? null : new Error(`A worker ended by itself, with ${signal ?? `code ${String(code)}`}`));
    });
  }

  /** Resolves when the worker can be given a job. */
  static async start(program: string): Promise<WorkerProcess> {
    const child = fork(program, { execArgv: [], env: {} });
    const worker = new WorkerProcess(child);
    await once(child, 'message');
    return worker;
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get gone(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Every call of it to the ledger is written down by the recorder. */
  perform(job: Job, recorder: HistoryRecorder): UnderWay {
    if (this.work !== null) throw new Error('The worker is at a job already');
    const report: Report = { job };
    this.work = { report, recorder };
    this.held = false;
    const reached = new Promise<boolean>((resolve) => (this.settleReached = resolve));
    const ended = new Promise<Report>((resolve, reject) => {
      this.settleEnded = (error) => (error === null ? resolve(report) : reject(error));
    });
    // Whoever started the job hears of it when he asks.
    ended.catch(() => undefined);
    this.tell({ type: 'job', job });
    return { reached, ended };
  }

  /** Lets it go on from where it is held. */
  go(): void {
    const { waiting } = this;
    if (waiting === null) this.tell({ type: 'go' });
    else this.ask(waiting);
  }

  /** The process stands still, wherever it is, and knows nothing of it. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  /** Resolves when the process is gone. */
  async kill(): Promise<void> {
    this.killed = true;
    if (this.gone) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  private tell(message: ToWorker): void {
    if (this.child.connected) this.child.send(message);
  }

  private heard(message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        return;
      case 'asks':
        return this.hold(message.operation);
      case 'answered':
        return this.answer(message.answer as Claimed | Acknowledged);
      case 'lost':
        return this.answer('maybe');
      case 'moment':
        return this.settleReached(true);
      case 'ended':
        return this.end(message.error === null ? null : new Error(message.error));
    }
  }

  private hold(operation: LedgerOperation): void {
    const moment = operation.kind === 'claim' ? 'before-claim' : 'answered';
    if (this.held || this.work?.report.job.tellAt !== moment) return this.ask(operation);
    this.held = true;
    this.waiting = operation;
    this.settleReached(true);
  }

  /** Written down first, then made: so what is written down began no later than the call. */
  private ask(operation: LedgerOperation): void {
    this.waiting = null;
    if (this.work === null) return;
    const { recorder, report } = this.work;
    if (operation.kind === 'claim') report.requestToken = operation.requestToken;
    const answer = new Promise<Claimed | Acknowledged | 'maybe'>((answered) => (this.asking = { operation, answered }));
    void recorder.record<LedgerOperation>(report.job.subject, `worker ${this.pid}`, operation, () => answer);
    this.tell({ type: 'go' });
  }

  private answer(answer: Claimed | Acknowledged | 'maybe'): void {
    if (this.asking === null) return;
    const { operation, answered } = this.asking;
    this.asking = null;
    answered(answer);
    if (answer === 'maybe' || this.work === null) return;
    const { report } = this.work;
    if (operation.kind === 'claim') report.claimed = answer as Claimed;
    else {
      const [reference] = operation.references ?? [];
      const said = { outcome: operation.outcome, ...(reference !== undefined && { reference }) };
      report.receipt = { ...(answer as Acknowledged), ...said };
    }
  }

  private end(error: Error | null): void {
    this.answer('maybe');
    this.waiting = null;
    this.settleReached(false);
    this.settleEnded(error);
    this.work = null;
  }
}
