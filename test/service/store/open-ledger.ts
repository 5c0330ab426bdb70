import { Pool } from 'pg';

import { configureOperation } from '../../../ledger-service/src/store/configure-operation';
import { type PolicyChange } from '../../../ledger-service/src/domain/policy-change';
import { Ledger, type LedgerOptions } from '../../../ledger-service/src/store/ledger';
import { migrate } from '../../../ledger-service/src/store/migrate';
import { createTestDatabase } from '../../setup/database';

/** A ledger on a database of its own, and a way round it: plain SQL, so that the code under test is not its own witness. */
export interface OpenLedger {
  readonly url: string;
  readonly ledger: Ledger;
  readonly workspaceNo: number;
  readonly sql: Pool;
  /** A second ledger process, as far as the database can tell. */
  another(options?: Partial<LedgerOptions>): Ledger;
  /** Makes a workspace and answers its number. */
  workspace(name: string): Promise<number>;
  configure(name: string, change: PolicyChange): Promise<void>;
  close(): Promise<void>;
}

export async function openLedger(options: Partial<LedgerOptions> = {}): Promise<OpenLedger> {
  const database = await createTestDatabase();
  const { url } = database;
  const ledgers: Ledger[] = [];
  const another = (more: Partial<LedgerOptions> = {}): Ledger => {
    const ledger = new Ledger({ databaseUrl: url, ...more });
    ledgers.push(ledger);
    return ledger;
  };
  const ledger = another(options);
  await migrate(ledger.database);
  const sql = new Pool({ connectionString: url, max: 5 });
  // Tests end connections on purpose; the pool's idle ones are not what they watch.
  sql.on('error', () => undefined);
  const workspace = async (name: string): Promise<number> => {
    const { rows } = await sql.query<{ no: number }>(
      `INSERT INTO action_ledger.workspaces (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING no`,
      [name],
    );
    return rows[0]!.no;
  };
  const workspaceNo = await workspace('default');
  return {
    url,
    ledger,
    workspaceNo,
    sql,
    another,
    workspace,
    configure: async (name, change) => {
      const { operations } = ledger;
      const present = await operations.find({ workspaceNo, name });
      await configureOperation(operations, { workspaceNo, name, change, revision: present?.revision ?? null });
    },
    close: async () => {
      await Promise.all(ledgers.map((one) => one.stop()));
      await sql.end();
      await database.drop();
    },
  };
}
