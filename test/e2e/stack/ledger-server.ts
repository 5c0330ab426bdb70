import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { lastLines, startProcess, type RunningProcess } from './child-process';
import { freePort } from './free-port';
import { LedgerApi } from './ledger-api';
import { until } from './until';

const command = join(__dirname, '..', '..', '..', 'ledger-service', 'dist', 'cli', 'main.js');

export interface LedgerServerOptions {
  databaseUrl: string;
  apiKey: string;
  logFile: string;
}

/** The ledger service as a user runs it: `action-ledger serve`. It can be stopped and started again. */
export class LedgerServer {
  private process: RunningProcess | undefined;
  readonly api: LedgerApi;

  private constructor(
    private readonly options: LedgerServerOptions,
    private readonly port: number,
  ) {
    this.api = new LedgerApi(this.url, options.apiKey);
  }

  static async start(options: LedgerServerOptions): Promise<LedgerServer> {
    if (!existsSync(command)) {
      throw new Error('The ledger service is not built, so it cannot be started. Run "npm run build" first.');
    }
    const server = new LedgerServer(options, await freePort());
    await server.start('--init');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(...flags: string[]): Promise<void> {
    const { databaseUrl, apiKey, logFile } = this.options;
    const started = startProcess({
      command: process.execPath,
      args: [command, 'serve', '--port', String(this.port), '--host', '127.0.0.1', ...flags],
      env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl, ACTION_LEDGER_API_KEY: apiKey },
      logFile,
    });
    this.process = started;
    await until(async () => started.exited || (await fetch(`${this.url}/readyz`)).ok, {
      what: 'the ledger to be ready',
      timeoutMs: 60_000,
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${lastLines(logFile, 30)}`);
    });
    if (started.exited) throw new Error(`The ledger ended while it started:\n${lastLines(logFile, 30)}`);
  }

  async stop(): Promise<void> {
    await this.process?.end('SIGTERM');
  }
}
