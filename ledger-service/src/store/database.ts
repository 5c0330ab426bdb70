import { type ClientConfig, Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';

import {
  connectionSurvives,
  isForeignPreparation,
  isSilence,
  NotAcknowledgedError,
  NotConnectedError,
  UnfitServerError,
} from './database-errors';
import { parseHosts } from './hosts';
import { pausePoint } from './pause-point';
import { ServerConnection } from './server-connection';
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

/** How long the end of the connections is waited for, in milliseconds. */
const END_MS = 1_000;

/**
 * The ledger's way to its PostgreSQL: a pool whose every connection was found fit to decide, and is thrown away when it
 * stops being so. Relies on no session state, so that it works behind PgBouncer in transaction mode.
 */
export class Database {
  private readonly pool: Pool;
  private readonly primary: PrimaryChoice;
  /** Which server a connection leads to, where it tells. */
  private readonly lineages = new WeakMap<object, Lineage>();
  /** Those that were not ended yet. */
  private readonly connected = new Set<ServerConnection>();
  /** Connections that were made before this are not used any more; on the clock of `performance.now()`. */
  private trustedSince = 0;
  /** Whether statements are prepared; a pooler in transaction mode forbids it. */
  private prepares = true;

  constructor({ url, max = 10, connectTimeoutMs = 3_000, queryTimeoutMs = 5_000 }: DatabaseOptions) {
    const settings: ClientConfig = {
      application_name: 'action-ledger',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
    };
    // `pg` knows neither host lists nor a read-write target.
    const primary = new PrimaryChoice(parseHosts(url), settings);
    this.primary = primary;
    const { connected, lineages } = this;
    class HostConnection extends ServerConnection {
      constructor() {
        super({ ...settings, ...primary.host });
        connected.add(this);
        this.once('end', () => connected.delete(this));
      }
    }
    this.pool = new Pool({
      max,
      connectionTimeoutMillis: connectTimeoutMs + 1_000,
      idleTimeoutMillis: 60_000,
      Client: HostConnection,
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
    client.takeWarning();
    let result: T;
    try {
      await pausePoint('connected');
      result = await work(client);
      await pausePoint('statement answered');
    } catch (error) {
      // What cut this connection off without a word may have done so to all that there are.
      if (isSilence(error)) this.trustedSince = performance.now();
      if (connectionSurvives(error)) client.release();
      else throwAway(client);
      throw error;
    }
    const warning = client.takeWarning();
    if (warning !== undefined) {
      throwAway(client);
      throw new NotAcknowledgedError(`PostgreSQL answered with a warning instead of a plain success: ${warning}`);
    }
    client.release();
    return result;
  }

  private async connect(): Promise<Borrowed> {
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

  /** A connection that is trusted and does not lead to a former primary; the others are thrown away. */
  private async freshConnection(): Promise<Borrowed> {
    for (;;) {
      const client = await this.pool.connect();
      if (!(client instanceof ServerConnection)) throw new Error('The pool made a connection of another kind');
      const lineage = this.lineages.get(client);
      const isFormer = lineage !== undefined && this.primary.isFormer(lineage);
      if (!isFormer && client.madeAt >= this.trustedSince) return client;
      throwAway(client);
    }
  }

  /** What the metrics show. */
  get connections(): { total: number; idle: number; waiting: number } {
    return { total: this.pool.totalCount, idle: this.pool.idleCount, waiting: this.pool.waitingCount };
  }

  /** Connections that do not say goodbye in time are left without one. */
  async end(): Promise<void> {
    const late = setTimeout(() => {
      for (const connection of this.connected) connection.drop();
    }, END_MS);
    await this.pool.end();
    clearTimeout(late);
  }
}

/** A connection while it is borrowed from the pool. */
type Borrowed = PoolClient & ServerConnection;

function throwAway(client: Borrowed): void {
  client.release(true);
  client.drop();
}

const messageOf = (error: unknown): string =>
  `The database cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
