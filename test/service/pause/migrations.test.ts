import { Pool } from 'pg';

import { Database } from '../../../ledger-service/src/store/database';
import { migrate } from '../../../ledger-service/src/store/migrate';
import { createTestDatabase, type TestDatabase } from '../../setup/database';
import { passesOf, stoppedAt, stoppedOnceAt } from './at-pass';

/** Two replicas that start on an empty database, one of them stopped within its migration. */
jest.setTimeout(120_000);

interface Empty {
  url: string;
  sql: Pool;
  database: Database;
  close(): Promise<void>;
}

async function empty(): Promise<Empty> {
  const made: TestDatabase = await createTestDatabase();
  const sql = new Pool({ connectionString: made.url });
  sql.on('error', () => undefined);
  const database = new Database({ url: made.url });
  return {
    url: made.url,
    sql,
    database,
    close: async () => {
      await database.end();
      await sql.end();
      await made.drop();
    },
  };
}

const ledgers = async ({ sql }: Empty): Promise<number> =>
  (await sql.query('SELECT FROM action_ledger.ledger')).rows.length;

const endConnections = ({ sql }: Empty): Promise<unknown> =>
  sql.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'action-ledger'`);

async function waitsForTheLock({ sql }: Empty): Promise<void> {
  while ((await sql.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)).rows.length === 0);
}

test('another migrates before it has the lock: it finds everything done', async () => {
  const place = await empty();
  const other = new Database({ url: place.url });
  let theirs: string[] = [];
  const mine = await stoppedOnceAt(
    'transaction begun',
    () => migrate(place.database),
    async () => (theirs = await migrate(other)),
  );
  expect(theirs.length).toBeGreaterThan(0);
  expect(mine).toEqual([]);
  expect(await ledgers(place)).toBe(1);
  await other.end();
  await place.close();
});

test('another comes while it is about to commit: it waits, and finds everything done', async () => {
  const place = await empty();
  const other = new Database({ url: place.url });
  let theirs: Promise<string[]> | undefined;
  const mine = await stoppedOnceAt(
    'transaction ready to commit',
    () => migrate(place.database),
    async () => {
      theirs = migrate(other);
      await waitsForTheLock(place);
    },
  );
  expect(mine.length).toBeGreaterThan(0);
  expect(await theirs).toEqual([]);
  expect(await ledgers(place)).toBe(1);
  await other.end();
  await place.close();
});

test('its connection is ended anywhere: all of it is there or nothing, and the next one completes it', async () => {
  const rehearsal = await empty();
  const passes = await passesOf(() => migrate(rehearsal.database));
  await rehearsal.close();
  expect(passes).toEqual([
    'connected',
    'transaction begun',
    'transaction ready to commit',
    'transaction committed',
    'statement answered',
  ]);
  for (const [pass, point] of passes.entries()) {
    const place = await empty();
    const { result } = await stoppedAt(
      pass,
      () => migrate(place.database).catch((error: unknown) => error),
      () => endConnections(place),
    );
    const { rows } = await place.sql.query<{ found: string | null }>(
      `SELECT to_regclass('action_ledger.actions') AS found`,
    );
    const committed = pass >= passes.indexOf('transaction committed');
    expect({ point, there: rows[0]?.found !== null, failed: result instanceof Error }).toEqual({
      point,
      there: committed,
      failed: !committed,
    });
    await migrate(place.database);
    expect(await ledgers(place)).toBe(1);
    await place.close();
  }
});
