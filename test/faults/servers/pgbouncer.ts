import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { Client, type ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

import { lastLines, type RunningProcess, startProcess } from '../../e2e/stack/child-process';
import { freePort } from '../../e2e/stack/free-port';
import { until } from '../../e2e/stack/until';
import { asPostgres, folderOfPostgres, giveToPostgres, SERVER_ENVIRONMENT } from './as-postgres';

const DATABASE = 'ledger';
const USER = 'anybody';

/** Fewer servers than the service has connections: a client meets another server with every other transaction. */
const POOL_SIZE = 4;

/** PgBouncer in transaction mode, in a process of its own and on a port of its own. */
export class PgBouncer {
  private process: RunningProcess | null = null;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private to: string,
  ) {}

  /**
   * @param folder a new one, which the user `postgres` can get to
   * @param to the URL of the PostgreSQL behind it
   */
  static async start(folder: string, to: string): Promise<PgBouncer> {
    folderOfPostgres(folder);
    const bouncer = new PgBouncer(folder, await freePort(), to);
    bouncer.configure();
    await bouncer.start();
    return bouncer;
  }

  get url(): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/${DATABASE}`;
  }

  /** Leads to another server from the next `RELOAD` on, as whoever promotes a standby has it do. */
  leadTo(url: string): void {
    this.to = url;
    this.configure();
  }

  private configure(): void {
    const { host, port, user, password, database } = parseIntoClientConfig(this.to);
    const server = { host, port, dbname: database, user, ...(password !== undefined && { password }) };
    const file = path.join(this.folder, 'pgbouncer.ini');
    const lines = [
      '[databases]',
      `${DATABASE} = ${Object.entries(server)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(' ')}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${this.port}`,
      'unix_socket_dir =',
      // It is on the loopback interface, and gone after the run; whoever comes may also use its console.
      'auth_type = any',
      `admin_users = ${USER}`,
      'pool_mode = transaction',
      `default_pool_size = ${POOL_SIZE}`,
      'max_client_conn = 200',
      // Its default, 15 s, is how long it refuses everybody after the server was away for a moment.
      'server_login_retry = 1',
    ];
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    giveToPostgres(file);
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    const { folder } = this;
    const { command, args } = asPostgres('pgbouncer', [path.join(folder, 'pgbouncer.ini')]);
    const logFile = `${folder}.log`;
    const started = startProcess({ command, args, env: SERVER_ENVIRONMENT, cwd: folder, logFile });
    this.process = started;
    await until(async () => started.exited || (await this.command('SHOW VERSION'), true), {
      what: 'PgBouncer to take connections',
      everyMs: 50,
    });
    if (started.exited) throw new Error(`PgBouncer ended:\n${lastLines(logFile, 20)}`);
  }

  /** A command of its console: PAUSE and RESUME, KILL, RECONNECT, RELOAD. Resolves when it is done. */
  async command(text: string): Promise<void> {
    const console: ClientConfig = { host: '127.0.0.1', port: this.port, user: USER, database: 'pgbouncer' };
    const client = new Client({ ...console, connectionTimeoutMillis: 5_000, query_timeout: 30_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  }

  /** To the process; SIGSTOP and SIGCONT too. */
  signal(signal: NodeJS.Signals): void {
    if (this.process !== null) process.kill(this.process.pid, signal);
  }

  /** SIGKILL is a crash, SIGTERM an immediate end. Resolves when it is gone. */
  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    await this.process?.end(signal);
    this.process = null;
  }

  static readonly database = DATABASE;
}
