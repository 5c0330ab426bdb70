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
import { PrimaryChoice } from './primary-choice';
import { checkServer, type Lineage } from './server-facts';

export interface DatabaseOptions {
  url: string;
  /** Connections at most. */
  max?: number;
  /** How long to wait for a connection, in milliseconds. */
  connectTimeoutMs?: number;
  /** How long a statement may take until its connection is given up, in milliseconds. */
  queryTimeoutMs?: number;
}

/**
 * The ledger's way to its PostgreSQL: a pool whose every connection was found fit to decide, and is thrown away when it
 * stops being so. Holds no session state, so that it works behind PgBouncer in transaction mode.
 */
export class Database {
  private readonly pool: Pool;
  private readonly primary: PrimaryChoice;
  /** Which server a connection leads to, where it tells. */
  private readonly lineages = new WeakMap<object, Lineage>();
  /** The warning that a connection's statement was answered with. */
  private readonly warnings = new WeakMap<object, string>();
  /** Whether statements are prepared; a pooler in transaction mode forbids it. */
  private prepares = true;
  constructor({ url, max = 10, connectTimeoutMs = 3_000, queryTimeoutMs = 10_000 }: DatabaseOptions) {
    const settings: ClientConfig = {
      application_name: 'action-ledger',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
    };
    // `pg` knows neither host lists nor a read-write target.
    const primary = new PrimaryChoice(parseHosts(url), settings);
    this.primary = primary;
    const { warnings, lineages } = this;
    class HostClient extends Client {
      constructor() {
        super({ ...settings, ...primary.host });
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
        checkServer(client)
          .then((lineage) => {
            primary.met(lineage);
            if (lineage !== null) lineages.set(client, lineage);
            done();
          })
          .catch((error: unknown) => {
            done(error as Error);
          });
      },
    });
    this.pool.on('error', () => undefined);
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
    try {
      await this.primary.ready();
      return await this.freshConnection().catch(async (error: unknown) => {
        // Another host may be the primary by now.
        if (!(await this.primary.lookAgain())) throw error;
        return this.freshConnection();
      });
    } catch (error) {
      throw error instanceof UnfitServerError ? error : new NotConnectedError(messageOf(error), { cause: error });
    }
  }

  /** A connection that does not lead to a former primary; those that do are thrown away. */
  private async freshConnection(): Promise<PoolClient> {
    for (;;) {
      const client = await this.pool.connect();
      const lineage = this.lineages.get(client);
      if (lineage === undefined || !this.primary.isFormer(lineage)) return client;
      client.release(true);
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
