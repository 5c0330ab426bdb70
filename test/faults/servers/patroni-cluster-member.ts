import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { type RunningProcess, startProcess } from '../../e2e/stack/child-process';
import { asPostgres, folderOfPostgres, giveToPostgres, POSTGRESQL, SERVER_ENVIRONMENT } from './as-postgres';
import { processesIn, send } from './processes-in';

export const OWNER = 'postgres';
export const DATABASE = 'postgres';

/**
 * How fast a dead leader is replaced: its key in etcd is over `ttl` seconds after it was last renewed. Patroni's
 * documentation takes 20 for the least, and asks that `loop_wait + 2 × retry_timeout` is not above it: a leader that
 * cannot reach etcd must have stepped down before another takes over.
 */
const FAILOVER = { ttl: 20, loop_wait: 1, retry_timeout: 5 };

export interface Ports {
  postgres: number;
  rest: number;
}

/** One member of a Patroni cluster: Patroni, and the PostgreSQL that it runs. */
export class PatroniClusterMember {
  private process: RunningProcess | null = null;

  constructor(
    readonly name: string,
    private readonly folder: string,
    private readonly ports: Ports,
    etcd: string,
  ) {
    folderOfPostgres(folder);
    // JSON is YAML too.
    writeFileSync(this.configuration, JSON.stringify(this.settings(etcd), null, 2), { mode: 0o600 });
    giveToPostgres(this.configuration);
    // PostgreSQL is in a session of its own and does not end with Patroni.
    process.once('exit', this.killAll);
  }

  get address(): string {
    return `127.0.0.1:${this.ports.postgres}`;
  }

  get url(): string {
    return `postgres://${OWNER}@${this.address}/${DATABASE}`;
  }

  get restUrl(): string {
    return `http://127.0.0.1:${this.ports.rest}`;
  }

  start(): void {
    this.process = startProcess({
      ...asPostgres('patroni', [this.configuration]),
      env: SERVER_ENVIRONMENT,
      cwd: this.folder,
      logFile: `${this.folder}.log`,
    });
  }

  /** As if the machine had gone: Patroni and its PostgreSQL, in this order, since Patroni would start it again. */
  async kill(): Promise<void> {
    const ended = this.process?.end('SIGKILL');
    this.killAll();
    await ended;
    this.process = null;
  }

  private readonly killAll = (): void => {
    for (const folder of [this.folder, this.data]) for (const pid of processesIn(folder)) send(pid, 'SIGKILL');
  };

  private get data(): string {
    return path.join(this.folder, 'data');
  }

  private get configuration(): string {
    return path.join(this.folder, 'patroni.yml');
  }

  private settings(etcd: string): object {
    const rest = `127.0.0.1:${this.ports.rest}`;
    return {
      scope: 'ledger',
      name: this.name,
      restapi: { listen: rest, connect_address: rest },
      etcd3: { host: etcd },
      bootstrap: {
        dcs: {
          ...FAILOVER,
          // Only who has everything that was acknowledged may take over; strict: also while no other follows.
          synchronous_mode: true,
          synchronous_mode_strict: true,
          postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 100 } },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
      },
      postgresql: {
        listen: this.address,
        connect_address: this.address,
        data_dir: this.data,
        bin_dir: POSTGRESQL,
        pgpass: path.join(this.folder, 'pgpass'),
        authentication: { superuser: { username: OWNER }, replication: { username: OWNER } },
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
        parameters: {
          unix_socket_directories: '',
          shared_buffers: '64MB',
          jit: 'off',
          wal_keep_size: '128MB',
          synchronous_commit: 'on',
        },
      },
    };
  }
}
