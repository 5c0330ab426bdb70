import { randomBytes } from 'node:crypto';

import { Client } from 'pg';

/** What runs out of space first: pages of tables, which is an error, or the write-ahead log, which ends PostgreSQL. */
export type Consumer = 'tables' | 'write-ahead log';

/** Incompressible, and more than a page. */
const CHUNK_BYTES = 200_000;

const STATEMENTS: Record<Consumer, string> = {
  tables: 'INSERT INTO public.space_witness VALUES ($1)',
  // Written to the log and nowhere else (PostgreSQL manual 9.28.6), until it needs another segment.
  'write-ahead log': `SELECT pg_logical_emit_message(false, 'space', $1)`,
};

/** A client of PostgreSQL beside the ledger, who finds out whether there is space. */
export class SpaceWitness {
  constructor(private readonly url: string) {}

  async prepare(): Promise<void> {
    await this.use((client) => client.query('CREATE TABLE IF NOT EXISTS public.space_witness (bytes text)'));
  }

  /** Writes until it is refused; answers with what: 53100 (disk_full), or what a server says or does that ends. */
  async writeUntilRefused(consumer: Consumer): Promise<string> {
    try {
      await this.use(async (client) => {
        for (;;) await client.query(STATEMENTS[consumer], [randomBytes(CHUNK_BYTES / 2).toString('hex')]);
      });
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      return code ?? message;
    }
    throw new Error('It was never refused');
  }

  /** Gives back what was written. */
  async tidyUp(): Promise<void> {
    await this.use((client) => client.query('TRUNCATE public.space_witness'));
  }

  private async use(work: (client: Client) => Promise<unknown>): Promise<void> {
    const client = new Client({ connectionString: this.url, application_name: 'space witness', query_timeout: 20_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
