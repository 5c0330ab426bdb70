import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type QueryConfig } from 'pg';

import { type Database } from './database';

const FOLDER = join(__dirname, 'migrations');

const NO_LIMIT = `
SELECT set_config('transaction_timeout', '0', true) WHERE current_setting('server_version_num')::int >= 170000`;

/** Any number that only the ledger's migrations lock; "ledger" on a telephone's keys. */
const MIGRATION_LOCK = 533437;

export interface SchemaState {
  /** Whether there is a ledger at all. */
  exists: boolean;
  /** Migrations that are not applied yet, by file name. */
  pending: string[];
  /** Applied by a newer version of the service than this one. */
  unknown: string[];
}

async function migrationFiles(): Promise<string[]> {
  return (await readdir(FOLDER)).filter((file) => /^\d{4}_.*\.sql$/.test(file)).sort();
}

/** A migration may read a large table: it is not given up as a claim would be. */
const migrationQuery = (text: string): QueryConfig & { query_timeout: number } => ({
  text,
  query_timeout: 24 * 3_600_000,
});

export async function schemaState(database: Database): Promise<SchemaState> {
  const files = await migrationFiles();
  const { rows } = await database.query<{ found: boolean }>(
    `SELECT to_regclass('action_ledger.migrations') IS NOT NULL AS found`,
  );
  if (rows[0]?.found !== true) return { exists: false, pending: files, unknown: [] };
  const applied = await database.query<{ name: string }>('SELECT name FROM action_ledger.migrations');
  const names = new Set(applied.rows.map(({ name }) => name));
  return {
    exists: names.size > 0,
    pending: files.filter((file) => !names.has(file)),
    unknown: [...names].filter((name) => !files.includes(name)),
  };
}

/**
 * Brings the database to this version's schema and, where there is no ledger yet, makes one with a new identity. One
 * transaction under an advisory lock: replicas that start together migrate once. Answers what was applied.
 */
export async function migrate(database: Database): Promise<string[]> {
  const files = await migrationFiles();
  return database.transaction(async (client) => {
    // Not the patience of a claim: a large ledger takes its time.
    await client.query(NO_LIMIT);
    await client.query(`SET LOCAL lock_timeout = 0`);
    await client.query(migrationQuery(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`));
    await client.query('CREATE SCHEMA IF NOT EXISTS action_ledger');
    await client.query(`CREATE TABLE IF NOT EXISTS action_ledger.migrations (
      name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`);
    const { rows } = await client.query<{ name: string }>('SELECT name FROM action_ledger.migrations');
    const pending = files.filter((file) => !rows.some(({ name }) => name === file));
    for (const file of pending) {
      await client.query(migrationQuery(await readFile(join(FOLDER, file), 'utf8')));
      await client.query('INSERT INTO action_ledger.migrations (name) VALUES ($1)', [file]);
    }
    await client.query('INSERT INTO action_ledger.ledger (id) VALUES ($1) ON CONFLICT DO NOTHING', [randomUUID()]);
    await client.query(`INSERT INTO action_ledger.workspaces (name) VALUES ('default') ON CONFLICT DO NOTHING`);
    return pending;
  });
}

/** The ledger's identity. An empty ledger by mistake has another one, and clients that were told theirs refuse it. */
export async function ledgerId(database: Database): Promise<string> {
  const { rows } = await database.query<{ id: string }>('SELECT id FROM action_ledger.ledger');
  if (rows[0] === undefined) throw new Error('The database has the ledger’s tables but no ledger in them');
  return rows[0].id;
}
