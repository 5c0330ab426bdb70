import { existsSync } from 'node:fs';
import path from 'node:path';

import { lastLines, type RunningProcess, startProcess } from '../../e2e/stack/child-process';
import { freePort } from '../../e2e/stack/free-port';
import { until } from '../../e2e/stack/until';

const BUILT = path.resolve(__dirname, '../../../ledger-service/dist/cli/main.js');

/** Of every service of the suite. It opens nothing: the ledgers are on the loopback interface and gone after the run. */
export const API_KEY = 'al_of_the_fault_suite_only';

export interface LedgerServiceOptions {
  databaseUrl: string;
  /** Where LISTEN goes; the same where it is left out. */
  directUrl?: string;
  /** For its log. */
  folder: string;
  /** Further settings, by their environment variables. */
  env?: NodeJS.ProcessEnv;
  /** Makes the ledger if there is none. One of several services on a database does. */
  init?: boolean;
  /** Another program than the built service, with its arguments before `serve`. */
  program?: readonly string[];
}

/** The service in a process of its own, as a user runs it. It can be killed, stopped and started again on its port. */
export class LedgerService {
  private process: RunningProcess | undefined;
  private readonly log: string;

  private constructor(
    private readonly options: LedgerServiceOptions,
    private readonly port: number,
  ) {
    this.log = path.join(options.folder, `ledger-${port}.log`);
  }

  static async start(options: LedgerServiceOptions): Promise<LedgerService> {
    if (!existsSync(BUILT)) throw new Error('The ledger service is not built. Run "npm run build" first.');
    const service = new LedgerService(options, await freePort());
    await service.start();
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.running.pid;
  }

  get logFile(): string {
    return this.log;
  }

  /** Resolves when the service can decide. */
  async start(): Promise<void> {
    const { databaseUrl, directUrl, env, init = true, program = [BUILT] } = this.options;
    this.process = startProcess({
      command: process.execPath,
      args: [...program, 'serve', '--port', String(this.port), '--host', '127.0.0.1', ...(init ? ['--init'] : [])],
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: databaseUrl,
        ...(directUrl !== undefined && { DATABASE_DIRECT_URL: directUrl }),
        ACTION_LEDGER_API_KEY: API_KEY,
        LOG_LEVEL: 'warn',
        ...env,
      },
      logFile: this.log,
    });
    await this.ready();
  }

  async ready(): Promise<void> {
    const { running } = this;
    await until(async () => running.exited || (await fetch(`${this.url}/readyz`)).ok, {
      what: 'the ledger to be ready',
      timeoutMs: 60_000,
      everyMs: 100,
    });
    if (running.exited) throw new Error(`The ledger ended while it started:\n${lastLines(this.log, 30)}`);
  }

  /** To the process alone; SIGSTOP and SIGCONT too. */
  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Resolves when the process is gone. */
  async kill(): Promise<void> {
    await this.running.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.process?.end('SIGTERM');
  }

  private get running(): RunningProcess {
    if (this.process === undefined) throw new Error('The ledger service was not started');
    return this.process;
  }
}
