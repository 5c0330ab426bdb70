import { Database } from '../../../ledger-service/src/store/database';
import { migrate, schemaState } from '../../../ledger-service/src/store/migrate';
import { createTestDatabase } from '../../setup/database';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { DETAILS, Story } from '../domain/story';
import { openLedger } from './open-ledger';

// From the tables of 0001 to those of 0002, with what was stored in between.

const FIRST = path.join(__dirname, '../../../ledger-service/src/store/migrations/0001_ledger.sql');

const COLUMNS = `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
  WHERE table_schema = 'action_ledger' ORDER BY 1, ordinal_position`;
const INDEXES = `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'action_ledger' ORDER BY 1`;
const DETAILS_ROWS = `SELECT to_jsonb(d) AS row FROM action_ledger.history_details d ORDER BY action_no, seq`;

/** What 0002 did, taken back: the tables of 0001, as the first version made them. */
const TAKEN_BACK = `
ALTER TABLE action_ledger.history_details DROP COLUMN operation_no, DROP COLUMN recorded_at;
DELETE FROM action_ledger.migrations WHERE name <> '0001_ledger.sql'`;

test('details that were stored under 0001 are found by their age after the upgrade, and nothing else changes', async () => {
  const open = await openLedger();
  const fresh = await createTestDatabase();
  const old = new Client({ connectionString: fresh.url });
  try {
    await open.configure('reserve-seat', { detailsRetentionDays: 1 });
    for (const operation of ['reserve-seat', 'charge', 'reserve-seat']) {
      const story = new Story(open, operation);
      await story.claim({ details: DETAILS });
      await story.receipt('confirmed', { evidence: { status: 201 } });
    }
    const rows = (await open.sql.query(DETAILS_ROWS)).rows;
    const columns = (await open.sql.query(COLUMNS)).rows;
    const indexes = (await open.sql.query(INDEXES)).rows;
    expect(rows).toHaveLength(6);

    await open.sql.query(TAKEN_BACK);
    await old.connect();
    await old.query('CREATE SCHEMA action_ledger');
    await old.query(`CREATE TABLE action_ledger.migrations (
      name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`);
    await old.query(await readFile(FIRST, 'utf8'));
    expect((await open.sql.query(COLUMNS)).rows).toEqual((await old.query(COLUMNS)).rows);
    expect((await open.sql.query(INDEXES)).rows).toEqual((await old.query(INDEXES)).rows);

    const database = new Database({ url: open.url });
    expect((await schemaState(database)).pending).toEqual(['0002_details_by_age.sql']);
    expect(await migrate(database)).toEqual(['0002_details_by_age.sql']);
    await database.end();
    expect((await open.sql.query(COLUMNS)).rows).toEqual(columns);
    expect((await open.sql.query(INDEXES)).rows).toEqual(indexes);
    expect((await open.sql.query(DETAILS_ROWS)).rows).toEqual(rows);
  } finally {
    await old.end();
    await fresh.drop();
    await open.close();
  }
});
