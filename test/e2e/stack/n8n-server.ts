import { existsSync, readFileSync } from 'node:fs';

import { startProcess, runToEnd, lastLines, type RunningProcess } from './child-process';
import { freePort } from './free-port';
import type { N8nInstallation } from './n8n-installation';
import { until } from './until';

export interface N8nServerOptions {
  installation: N8nInstallation;
  userFolder: string;
  databaseUrl: string;
  logFile: string;
}

/** One n8n process on PostgreSQL that can be killed and started again, as it is on a real machine. */
export class N8nServer {
  private process: RunningProcess | undefined;

  private constructor(
    private readonly options: N8nServerOptions,
    private readonly environment: NodeJS.ProcessEnv,
    readonly url: string,
  ) {}

  static async start(options: N8nServerOptions): Promise<N8nServer> {
    const port = await freePort();
    const runnersPort = await freePort();
    const server = new N8nServer(options, environment(options, port, runnersPort), `http://127.0.0.1:${port}`);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const { installation, logFile } = this.options;
    const saidSoFar = existsSync(logFile) ? readFileSync(logFile, 'utf8').length : 0;
    const started = startProcess({
      command: process.execPath,
      args: [installation.bin, 'start'],
      env: this.environment,
      logFile,
    });
    this.process = started;
    await until(
      async () => {
        if (started.exited) return true;
        // The webhooks are registered before n8n says so; /healthz answers earlier.
        return /Editor is now accessible/.test(readFileSync(logFile, 'utf8').slice(saidSoFar));
      },
      { what: 'n8n to start', timeoutMs: 180_000, everyMs: 250 },
    ).catch((error: Error) => {
      throw new Error(`${error.message}\n${lastLines(logFile, 40)}`);
    });
    if (started.exited) throw new Error(`n8n ended while it started:\n${lastLines(logFile, 40)}`);
  }

  /** As a machine that loses power: no handler runs, nothing is saved. */
  async kill(): Promise<void> {
    await this.process?.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.process?.end('SIGTERM');
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

function environment({ userFolder, databaseUrl }: N8nServerOptions, port: number, runnersPort: number) {
  const database = new URL(databaseUrl);
  return {
    PATH: process.env.PATH,
    HOME: userFolder,
    TZ: 'UTC',
    N8N_USER_FOLDER: userFolder,
    N8N_ENCRYPTION_KEY: 'only-for-these-tests',
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_PORT: String(port),
    N8N_RUNNERS_BROKER_PORT: String(runnersPort),
    N8N_SECURE_COOKIE: 'false',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_HIRING_BANNER_ENABLED: 'false',
    // Parts of n8n that call out to the internet at every start and have nothing to do with running a workflow.
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,agents,chat-hub,insights',
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: database.hostname,
    DB_POSTGRESDB_PORT: database.port || '5432',
    DB_POSTGRESDB_DATABASE: database.pathname.slice(1),
    DB_POSTGRESDB_USER: decodeURIComponent(database.username) || 'postgres',
    DB_POSTGRESDB_PASSWORD: decodeURIComponent(database.password),
    N8N_LOG_LEVEL: 'info',
  };
}
