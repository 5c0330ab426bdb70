import { appendFileSync, rmSync } from 'node:fs';
import path from 'node:path';

import { Client, DatabaseError, type QueryResultRow } from 'pg';

import { lastLines, type RunningProcess, startProcess } from '../../e2e/stack/child-process';
import { until } from '../../e2e/stack/until';
import { asPostgres, folderOfPostgres, POSTGRESQL, runAsPostgres, SERVER_ENVIRONMENT } from './as-postgres';
import { processesIn, send } from './processes-in';

/** In the file, since `pg_rewind` starts the server by itself, where a command line of ours would not reach it. */
const SETTINGS = [
  `listen_addresses = '127.0.0.1'`,
  `unix_socket_directories = ''`,
  'synchronous_commit = on',
  'max_connections = 100',
  'shared_buffers = 64MB',
  'jit = off',
  // What the other one has not got yet, and what pg_rewind goes back through, is kept; little more, since it copies all.
  'wal_keep_size = 64MB',
  'min_wal_size = 2MB',
  'max_wal_size = 256MB',
  'checkpoint_timeout = 1h',
  'wal_retrieve_retry_interval = 200ms',
];

export const OWNER = 'postgres';
/** The one that each cluster is born with. */
export const DATABASE = 'postgres';

/** One PostgreSQL of a replicated pair, in its folder and on its port, be it primary or standby. */
export class ReplicatedPairMember {
  private process: RunningProcess | null = null;
  private connection: Promise<Client> | null = null;

  constructor(
    readonly name: string,
    readonly port: number,
    private readonly folder: string,
  ) {
    // Processes that were stopped (SIGSTOP) do not end with their postmaster.
    process.once('exit', this.killAll);
  }

  get url(): string {
    return `postgres://${OWNER}@127.0.0.1:${this.port}/${DATABASE}`;
  }

  get logFile(): string {
    return `${this.folder}.log`;
  }

  /** Makes a new, empty cluster; checksums, since pg_rewind needs them. */
  async initialise(): Promise<void> {
    folderOfPostgres(this.folder);
    const options = ['--auth=trust', '--data-checksums', '--wal-segsize=1', '--no-instructions', '--locale=C'];
    await this.run('initdb', ['-D', this.folder, '-U', OWNER, '--encoding=UTF8', '--no-sync', ...options]);
    appendFileSync(path.join(this.folder, 'postgresql.conf'), `${SETTINGS.join('\n')}\n`);
  }

  /** A third of the files that each change of places goes through. pg_rewind needs the other template. */
  async dropTemplate0(): Promise<void> {
    await this.query(`UPDATE pg_database SET datistemplate = false WHERE datname = 'template0'`);
    await this.query('DROP DATABASE template0');
  }

  /** Becomes a fresh copy of the primary, which follows it once it is started. */
  async copy(primary: ReplicatedPairMember): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    folderOfPostgres(this.folder);
    const options = ['--checkpoint=fast', '-X', 'stream', '--write-recovery-conf', '--no-sync'];
    await this.run('pg_basebackup', ['-D', this.folder, '-d', this.replicationFrom(primary), ...options]);
  }

  /** Takes back what this one wrote and the other one never got; follows it once it is started. */
  async rewind(primary: ReplicatedPairMember): Promise<void> {
    // Until its first checkpoint a promoted server is on the old timeline by its control file, which is what is compared.
    await primary.query('CHECKPOINT');
    rmSync(path.join(this.folder, 'postmaster.pid'), { force: true });
    const source = `--source-server=${this.replicationFrom(primary)} dbname=${DATABASE}`;
    await this.run('pg_rewind', ['-D', this.folder, source, '--write-recovery-conf', '--no-sync']);
  }

  private async run(program: string, args: readonly string[]): Promise<void> {
    await runAsPostgres(`${POSTGRESQL}/${program}`, args, {
      cwd: path.dirname(this.folder),
      logFile: `${this.folder}.${program}.log`,
    });
  }

  private replicationFrom(primary: ReplicatedPairMember): string {
    return `host=127.0.0.1 port=${primary.port} user=${OWNER} application_name=${this.name}`;
  }

  /**
   * Resolves when it takes connections.
   * @param settings for this time only, as `name=value`
   */
  async start(settings: readonly string[] = []): Promise<void> {
    rmSync(path.join(this.folder, 'postmaster.pid'), { force: true });
    const options = [`port=${this.port}`, ...settings].flatMap((setting) => ['-c', setting]);
    const { command, args } = asPostgres(`${POSTGRESQL}/postgres`, ['-D', this.folder, ...options]);
    const started = startProcess({ command, args, env: SERVER_ENVIRONMENT, cwd: this.folder, logFile: this.logFile });
    this.process = started;
    await until(() => started.exited || this.ready(), {
      what: `PostgreSQL ${this.name} to take connections`,
      timeoutMs: 60_000,
      everyMs: 50,
    });
    if (started.exited) throw new Error(`PostgreSQL ${this.name} ended:\n${lastLines(this.logFile, 20)}`);
  }

  private async ready(): Promise<boolean> {
    await this.query('SELECT 1');
    return true;
  }

  /** As if the machine had gone: nothing of it writes or answers any more when this resolves. */
  async kill(): Promise<void> {
    // The postmaster first: it would take the end of one of its children for a crash and start anew.
    const ended = this.process?.end('SIGKILL');
    this.killAll();
    await ended;
    this.process = null;
    this.forgetConnection();
  }

  /** The postmaster alone is killed; its children notice, and some of them end what they are at first. */
  async killPostmaster(): Promise<void> {
    await this.process?.end('SIGKILL');
    this.process = null;
    this.forgetConnection();
  }

  private readonly killAll = (): void => {
    for (const pid of processesIn(this.folder)) send(pid, 'SIGKILL');
  };

  /** One statement, on a connection that is kept: what is waited for is asked often, and each new connection is a process. */
  async query<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
    this.connection ??= this.connect();
    const { connection } = this;
    try {
      return (await (await connection).query<R>(text, values)).rows;
    } catch (error) {
      const sound = error instanceof DatabaseError && error.severity === 'ERROR';
      if (!sound && this.connection === connection) this.forgetConnection();
      throw error;
    }
  }

  private async connect(): Promise<Client> {
    const { port } = this;
    const client = new Client({
      host: '127.0.0.1',
      port,
      user: OWNER,
      database: DATABASE,
      connectionTimeoutMillis: 5_000,
    });
    // The next query meets it and says so.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  private forgetConnection(): void {
    this.connection?.then((client) => client.end()).catch(() => undefined);
    this.connection = null;
  }
}
