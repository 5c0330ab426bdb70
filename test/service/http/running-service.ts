import { Writable } from 'node:stream';
import { type FastifyInstance } from 'fastify';
import { Client } from 'pg';
import { pino } from 'pino';
import { buildApp } from '../../../ledger-service/src/http/app';
import { type Scope, SCOPES } from '../../../ledger-service/src/store/api-keys';
import { Ledger } from '../../../ledger-service/src/store/ledger';
import { migrate } from '../../../ledger-service/src/store/migrate';
import { createTestDatabase } from '../../setup/database';
import { answerChecker } from './answer-checker';

// Answers are read as they come; the expectations are what checks them.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Read = any;

export interface Answer<T = Read> {
  status: number;
  headers: Record<string, string>;
  body: T;
}

export interface CallOptions {
  key?: string | null;
  headers?: Record<string, string>;
  /** Sent as it is, instead of JSON made from `body`. */
  raw?: string | Uint8Array<ArrayBuffer>;
}

/** A ledger with its HTTP side on a database of its own, in this process. Every answer is checked against the API document. */
export class RunningService {
  private constructor(
    readonly ledger: Ledger,
    readonly app: FastifyInstance,
    readonly url: string,
    readonly ledgerId: string,
    readonly key: string,
    private readonly database: { url: string; drop(): Promise<void> },
    private readonly client: Client,
    readonly logLines: string[],
    private readonly check: ReturnType<typeof answerChecker>,
  ) {}

  /** On a new database of the run's PostgreSQL, or on the one that is named. */
  static async start(databaseUrl?: string): Promise<RunningService> {
    const database =
      databaseUrl === undefined ? await createTestDatabase() : { url: databaseUrl, drop: () => Promise.resolve() };
    const ledger = new Ledger({ databaseUrl: database.url });
    await migrate(ledger.database);
    const { secret } = await ledger.apiKeys.create({ name: 'all scopes', workspace: 'default', scopes: SCOPES });
    const logLines: string[] = [];
    const log = pino(
      { level: 'info' },
      new Writable({
        write: (line: Buffer, _encoding, done) => {
          logLines.push(line.toString());
          done();
        },
      }),
    );
    const ledgerId = await ledger.id();
    const app = await buildApp({ ledger, ledgerId, version: '0.0.0-test', log });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    ledger.start();
    const client = new Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    return new RunningService(
      ledger,
      app,
      url,
      ledgerId,
      secret,
      database,
      client,
      logLines,
      answerChecker(app.swagger()),
    );
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.ledger.stop();
    await this.client.end();
    await this.database.drop();
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  async newKey(scopes: readonly Scope[], options: { workspace?: string; expiresAt?: Date } = {}): Promise<string> {
    const { workspace = 'default', expiresAt } = options;
    const name = `${scopes.join(' ')} in ${workspace}`;
    const { secret } = await this.ledger.apiKeys.create({ name, workspace, scopes, ...(expiresAt && { expiresAt }) });
    return secret;
  }

  async call<T = Read>(method: string, url: string, body?: unknown, options: CallOptions = {}): Promise<Answer<T>> {
    const { key = this.key, headers, raw } = options;
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${this.url}${url}`, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
    });
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: (await response.json()) as T,
    };
    this.check(method, url, answer);
    return answer;
  }

  get = <T = Read>(url: string, options?: CallOptions): Promise<Answer<T>> =>
    this.call<T>('GET', url, undefined, options);
  post = <T = Read>(url: string, body: unknown, options?: CallOptions): Promise<Answer<T>> =>
    this.call<T>('POST', url, body, options);
  put = <T = Read>(url: string, body: unknown, options?: CallOptions): Promise<Answer<T>> =>
    this.call<T>('PUT', url, body, options);

  /** Claims one action and answers its result. */
  async claim(claim: object, options?: CallOptions): Promise<Read> {
    const { body } = await this.post('/v1/claims', { claims: [claim] }, options);
    return body.results[0];
  }

  async receipt(receipt: object, options?: CallOptions): Promise<Read> {
    const { body } = await this.post('/v1/receipts', { receipts: [receipt] }, options);
    return body.results[0];
  }

  async sql<R extends object>(text: string, values: unknown[] = []): Promise<R[]> {
    return (await this.client.query<R>(text, values)).rows;
  }

  /** What the ledger holds, as one text: two that are equal mean that nothing was changed in between. */
  async contents(): Promise<string> {
    this.tables ??= (
      await this.sql<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'action_ledger'
         AND table_name <> 'migrations' ORDER BY 1`,
      )
    ).map(({ name }) => name);
    const counts = this.tables.map(
      (name) => `(SELECT count(*) || '/' || coalesce(sum(hashtext(t::text)), 0) FROM action_ledger.${name} t)`,
    );
    const [row] = await this.sql<{ contents: string }>(`SELECT concat_ws(' ', ${counts.join(', ')}) AS contents`);
    return row?.contents ?? '';
  }

  private tables: string[] | undefined;
}
