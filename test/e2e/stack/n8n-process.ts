import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { lastLines, runToEnd, startProcess, type RunningProcess } from './child-process';
import { freePort } from './free-port';
import type { N8nInstallation } from './n8n-installation';
import { until } from './until';

export interface N8nOptions {
  installation: N8nInstallation;
  /** A folder of its own, as on a machine of its own; the nodes must be installed in it. */
  userFolder: string;
  databaseUrl: string;
  logFile: string;
  /** Environment variables that this role needs beside those that all have. */
  environment?: NodeJS.ProcessEnv;
}

/** What n8n's command line starts, and the line in its log that says that it is up. */
interface Role {
  name: string;
  args: string[];
  isUp: RegExp;
}

/** One n8n process on PostgreSQL that can be killed and started again, as it is on a real machine. */
export class N8nProcess {
  private process: RunningProcess | undefined;

  protected constructor(
    protected readonly options: N8nOptions,
    private readonly role: Role,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  async start(): Promise<void> {
    const { installation, logFile } = this.options;
    const { name, args, isUp } = this.role;
    const saidSoFar = this.log().length;
    const started = startProcess({
      command: process.execPath,
      args: [installation.bin, ...args],
      env: this.environment,
      logFile,
    });
    this.process = started;
    await until(() => started.exited || isUp.test(this.log().slice(saidSoFar)), {
      what: `${name} to start`,
      timeoutMs: 600_000,
      everyMs: 250,
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${lastLines(logFile, 40)}`);
    });
    if (started.exited) throw new Error(`${name} ended while it started:\n${lastLines(logFile, 40)}`);
  }

  get hasEnded(): boolean {
    return this.process?.exited ?? true;
  }

  /** As a machine that loses power: no handler runs, nothing is saved. */
  async kill(): Promise<void> {
    await this.process?.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.process?.end('SIGTERM');
  }

  /**
   * As a container that is replaced by a new one, with an empty disk: n8n's own journal is gone, from which it would see
   * at its start what it had not finished.
   */
  loseDisk(): void {
    const folder = join(this.options.userFolder, '.n8n');
    for (const name of readdirSync(folder)) {
      if (name.startsWith('n8nEventLog')) rmSync(join(folder, name));
    }
  }

  /** As a machine that sleeps: everything stands still, and goes on at {@link wake} as if nothing had been. */
  freeze(): void {
    this.process?.signal('SIGSTOP');
  }

  wake(): void {
    this.process?.signal('SIGCONT');
  }

  /** Everything that it has written so far. */
  log(): string {
    const { logFile } = this.options;
    return existsSync(logFile) ? readFileSync(logFile, 'utf8') : '';
  }

  /** One command of n8n's own command line, for instance `import:workflow`. */
  async command(...args: string[]): Promise<void> {
    const port = await freePort();
    await runToEnd({
      command: process.execPath,
      args: [this.options.installation.bin, ...args],
      env: { ...this.environment, N8N_RUNNERS_BROKER_PORT: String(port) },
      logFile: this.options.logFile.replace(/\.log$/, '-commands.log'),
    });
  }
}
