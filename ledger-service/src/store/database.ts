import { Client, type ClientConfig, Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';

import {
  connectionSurvives,
  isForeignPreparation,
  NotAcknowledgedError,
  NotConnectedError,
  UnfitServerError,
} from './database-errors';
import { parseHosts } from './hosts';
import { pausePoint } from './pause-point';

export interface DatabaseOptions {
  url: string;
  /** Connections at most. */
  max?: number;
  /** How long to wait for a connection, in milliseconds. */
  connectTimeoutMs?: number;
  /** How long a statement may take until its connection is given up, in milliseconds. */
  queryTimeoutMs?: number;
}

interface ServerFacts {
  in_recovery: boolean;
  read_only: string;
  fsync: string;
  synchronous_commit: string;
  version: number;
}

const FACTS = `
SELECT pg_is_in_recovery() AS in_recovery,
       current_setting('transaction_read_only') AS read_only,
       current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS synchronous_commit,
       current_setting('server_version_num')::int AS version`;

/** A server whose acknowledgement can be lost, or that cannot write, must not decide. */
function refuseUnfit(facts: ServerFacts | undefined): void {
  if (facts === undefined) throw new UnfitServerError('The server did not say what it is');
  if (facts.in_recovery || facts.read_only === 'on') {
    throw new UnfitServerError(
      'This PostgreSQL server is read-only (a standby?); the ledger decides on the primary only',
    );
  }
  if (facts.fsync === 'off') {
    throw new UnfitServerError('PostgreSQL runs with fsync = off: it can forget what it confirmed. Set fsync = on');
  }
  if (facts.synchronous_commit === 'off' || facts.synchronous_commit === 'local') {
    throw new UnfitServerError(
      `PostgreSQL runs with synchronous_commit = ${facts.synchronous_commit}: it can forget what it confirmed. Set it to on`,
    );
  }
  if (facts.version < 140_000) {
    throw new UnfitServerError(`PostgreSQL 14 or newer is needed; this is ${Math.floor(facts.version / 10_000)}`);
  }
}

/**
 * The ledger's way to its PostgreSQL: a pool whose every connection was found fit to decide, and is thrown away when it
 * stops being so. Holds no session state, so that it works behind PgBouncer in transaction mode.
 */
export class Database {
  private readonly pool: Pool;
  private readonly onRefused: () => void;
  /** The warning that a connection's statement was answered with. */
  private readonly warnings = new WeakMap<object, string>();
  /** Whether statements are prepared; a pooler in transaction mode forbids it. */
  private prepares = true;
  /** How many hosts there are to try. */
  readonly hostCount: number;

  constructor({ url, max = 10, connectTimeoutMs = 3_000, queryTimeoutMs = 10_000 }: DatabaseOptions) {
    const hosts = parseHosts(url);
    this.hostCount = hosts.length;
    // `pg` knows neither host lists nor a read-write target: the next connection goes to the next host after a refusal.
    let turn = 0;
    const settings: ClientConfig = {
      application_name: 'action-ledger',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
    };
    const nextHost = (): ClientConfig => ({ ...settings, ...hosts[turn % hosts.length] });
    const { warnings } = this;
    class HostClient extends Client {
      constructor() {
        super(nextHost());
        // A lost connection is reported by the query that meets it; without a listener it would end the process.
        this.on('error', () => undefined);
        this.on('notice', (notice) => {
          if (notice.severity === 'WARNING') warnings.set(this, notice.message ?? 'no text');
        });
      }
    }
    this.pool = new Pool({
      max,
      connectionTimeoutMillis: connectTimeoutMs + 1_000,
      idleTimeoutMillis: 60_000,
      Client: HostClient,
      verify: (client: PoolClient, done: (error?: Error) => void) => {
        client
          .query<ServerFacts>(FACTS)
          .then(({ rows }) => {
            refuseUnfit(rows[0]);
            done();
          })
          .catch((error: unknown) => {
            done(error as Error);
          });
      },
    });
    this.pool.on('error', () => undefined);
    this.onRefused = () => turn++;
  }

  /** One statement, one round trip. A connection that failed is thrown away unless the server said that it is sound. */
  async query<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    return this.withClient((client) => client.query<R>(text, values));
  }

  /** A statement that is worth preparing: it is planned once a connection, where no pooler forbids it. */
  async prepared<R extends QueryResultRow>(
    { name, text }: { name: string; text: string },
    values: unknown[],
  ): Promise<QueryResult<R>> {
    try {
      return await this.withClient((client) =>
        client.query<R>(this.prepares ? { name, text, values } : { text, values }),
      );
    } catch (error) {
      // A pooler in transaction mode: another server than the one that prepared it. From now on each is planned anew.
      if (isForeignPreparation(error)) this.prepares = false;
      throw error;
    }
  }

  /** Several statements in one transaction. */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.withClient(async (client) => {
      await client.query(`BEGIN; SET LOCAL lock_timeout = '3s'; SET LOCAL idle_in_transaction_session_timeout = '5s'`);
      await pausePoint('transaction begun');
      try {
        const result = await work(client);
        await pausePoint('transaction ready to commit');
        await client.query('COMMIT');
        await pausePoint('transaction committed');
        return result;
      } catch (error) {
        if (connectionSurvives(error)) await client.query('ROLLBACK');
        throw error;
      }
    });
  }

  private async withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.connect();
    this.warnings.delete(client);
    let result: T;
    try {
      await pausePoint('connected');
      result = await work(client);
      await pausePoint('statement answered');
    } catch (error) {
      client.release(!connectionSurvives(error));
      throw error;
    }
    const warning = this.warnings.get(client);
    if (warning !== undefined) {
      client.release(true);
      throw new NotAcknowledgedError(`PostgreSQL answered with a warning instead of a plain success: ${warning}`);
    }
    client.release();
    return result;
  }

  private async connect(): Promise<PoolClient> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.pool.connect();
      } catch (error) {
        this.onRefused();
        if (attempt < this.hostCount) continue;
        throw error instanceof UnfitServerError ? error : new NotConnectedError(messageOf(error), { cause: error });
      }
    }
  }

  /** What the metrics show. */
  get connections(): { total: number; idle: number; waiting: number } {
    return { total: this.pool.totalCount, idle: this.pool.idleCount, waiting: this.pool.waitingCount };
  }

  async end(): Promise<void> {
    await this.pool.end();
  }
}

const messageOf = (error: unknown): string =>
  `The database cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
