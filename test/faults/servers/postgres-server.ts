import { readFileSync } from 'node:fs';
import path from 'node:path';

import { Client } from 'pg';

import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../ledger-service/src/store/embedded/start-embedded-postgres';
import { until } from '../../e2e/stack/until';

/** A PostgreSQL that can be killed: the embedded one, which starts again by itself on the same port, as it does at a user's. */
export class PostgresServer {
  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly folder: string,
  ) {}

  /** @param folder a new one, which the server's own user can get to */
  static async start(folder: string): Promise<PostgresServer> {
    const server = await startEmbeddedPostgres({ dataDir: folder, init: true, log: () => undefined });
    return new PostgresServer(server, folder);
  }

  get url(): string {
    return this.server.url;
  }

  /** Of the postmaster that runs now. */
  get pid(): number {
    return Number(readFileSync(path.join(this.folder, 'postgresql/postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** SIGKILL is a crash of the postmaster, SIGQUIT one of all its processes, SIGINT a fast shutdown. */
  kill(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): void {
    process.kill(this.pid, signal);
  }

  /** Resolves when the server takes connections. */
  async ready(): Promise<void> {
    await until(
      async () => {
        const client = new Client({ connectionString: this.url, connectionTimeoutMillis: 2_000 });
        client.on('error', () => undefined);
        await client.connect();
        await client.end();
        return true;
      },
      { what: 'PostgreSQL to take connections', timeoutMs: 60_000, everyMs: 50 },
    );
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}
