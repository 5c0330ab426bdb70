import { Client } from 'pg';

/** Who takes up all connections that a PostgreSQL has, and gives them back when told. */
export class ConnectionEater {
  private readonly taken = new Set<Client>();

  constructor(private readonly url: string) {}

  /** Takes connections until the server has none left (53300, too_many_connections); answers how many it has now. */
  async eat(): Promise<number> {
    for (;;) {
      const client = new Client({ connectionString: this.url, application_name: 'somebody else' });
      client.on('error', () => this.taken.delete(client));
      try {
        await client.connect();
      } catch (error) {
        if ((error as { code?: string }).code === TOO_MANY_CONNECTIONS) return this.taken.size;
        throw error;
      }
      this.taken.add(client);
    }
  }

  /** Ends the connections of the ledger; what becomes free can be taken before it gets it back. */
  async endThoseOfTheLedger(): Promise<void> {
    await this.one().query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'action-ledger'`,
    );
  }

  /** How many connections the ledger has. */
  async countThoseOfTheLedger(): Promise<number> {
    const { rows } = await this.one().query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'action-ledger'`,
    );
    return rows[0]?.count ?? 0;
  }

  private one(): Client {
    const [client] = this.taken;
    if (client === undefined) throw new Error('Nothing was taken yet');
    return client;
  }

  async giveBack(): Promise<void> {
    await Promise.all([...this.taken].map((client) => client.end()));
    this.taken.clear();
  }
}

/** PostgreSQL manual, appendix A. */
const TOO_MANY_CONNECTIONS = '53300';
