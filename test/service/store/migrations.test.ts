import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Client } from 'pg';

import { Database } from '../../../ledger-service/src/store/database';
import { Ledger } from '../../../ledger-service/src/store/ledger';
import { ledgerId, migrate, schemaState } from '../../../ledger-service/src/store/migrate';
import { createTestDatabase } from '../../setup/database';

interface Fresh {
  url: string;
  databases: [Database, Database, Database, Database];
}

/** A test on an empty database of its own, and four services that begin on it. */
const onFresh = (name: string, run: (fresh: Fresh) => Promise<void>): void =>
  test.concurrent(name, async () => {
    const fresh = await createTestDatabase();
    const one = (): Database => new Database({ url: fresh.url });
    const databases: Fresh['databases'] = [one(), one(), one(), one()];
    try {
      await run({ url: fresh.url, databases });
    } finally {
      await Promise.all(databases.map((database) => database.end()));
      await fresh.drop();
    }
  });

onFresh('an empty database has no ledger, and looking does not make one', async ({ databases: [database] }) => {
  expect(await schemaState(database)).toEqual({
    exists: false,
    pending: expect.arrayContaining(['0001_ledger.sql']),
    unknown: [],
  });
  const { rows } = await database.query(`SELECT FROM pg_namespace WHERE nspname = 'action_ledger'`);
  expect(rows).toEqual([]);
});

onFresh(
  'migrators at once: the migrations run once, and there is one ledger with one identity',
  async ({ databases }) => {
    const applied = await Promise.all(databases.map((database) => migrate(database)));
    expect(applied.filter((files) => files.length > 0)).toHaveLength(1);
    const ids = await Promise.all(databases.map((database) => ledgerId(database)));
    expect(new Set(ids).size).toBe(1);
    expect(await schemaState(databases[0])).toEqual({ exists: true, pending: [], unknown: [] });
  },
);

onFresh('again it applies nothing and the identity stays', async ({ databases: [database] }) => {
  await migrate(database);
  const id = await ledgerId(database);
  expect(await migrate(database)).toEqual([]);
  expect(await ledgerId(database)).toBe(id);
});

onFresh('another ledger has another identity', async ({ databases }) => {
  const other = await createTestDatabase();
  const database = new Database({ url: other.url });
  try {
    await migrate(databases[0]);
    await migrate(database);
    expect(await ledgerId(database)).not.toBe(await ledgerId(databases[0]));
  } finally {
    await database.end();
    await other.drop();
  }
});

onFresh('a migration that fails leaves nothing behind', async ({ url, databases }) => {
  const client = new Client({ connectionString: url });
  await client.connect();
  // In the way of one of the tables, so that the script fails half-way.
  await client.query('CREATE SCHEMA action_ledger; CREATE VIEW action_ledger.history AS SELECT 1');
  await expect(migrate(databases[0])).rejects.toThrow();
  const { rows } = await client.query<{ relname: string }>(
    `SELECT relname FROM pg_class WHERE relnamespace = 'action_ledger'::regnamespace`,
  );
  expect(rows).toEqual([{ relname: 'history' }]);
  await client.query('DROP VIEW action_ledger.history');
  await client.end();
  expect(await migrate(databases[1])).not.toEqual([]);
});

onFresh('a newer version’s migration is told of', async ({ databases: [database] }) => {
  await migrate(database);
  await database.query(`INSERT INTO action_ledger.migrations (name) VALUES ('9999_from_the_future.sql')`);
  expect(await schemaState(database)).toMatchObject({ exists: true, unknown: ['9999_from_the_future.sql'] });
});

onFresh('a ledger on a database without tables says so instead of deciding', async ({ url }) => {
  const ledger = new Ledger({ databaseUrl: url });
  try {
    const claim = ledger.claim(1, { claims: [{ subject: 'a', operation: 'b' }] });
    await expect(claim.then(([answer]) => Promise.reject(answer as Error))).rejects.toMatchObject({
      code: expect.stringMatching(/^(ledger_unavailable|internal)$/),
    });
    await expect(ledger.id()).rejects.toThrow();
  } finally {
    await ledger.stop();
  }
});

onFresh(
  'the migrations are plain files in the order of their numbers, each of which names its objects in full',
  async ({ databases }) => {
    const folder = join(__dirname, '../../../ledger-service/src/store/migrations');
    const { pending } = await schemaState(databases[0]);
    expect(pending).toEqual([...pending].sort());
    for (const file of pending) {
      const sql = await readFile(join(folder, file), 'utf8');
      const unqualified = sql.match(/^CREATE (UNIQUE )?(TABLE|INDEX .* ON|SEQUENCE|FUNCTION) (?!action_ledger\.)\w+/gm);
      expect(unqualified).toBeNull();
    }
  },
);
