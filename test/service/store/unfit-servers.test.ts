import { Database } from '../../../ledger-service/src/store/database';
import { Ledger } from '../../../ledger-service/src/store/ledger';
import { openLedger, type OpenLedger } from './open-ledger';

jest.setTimeout(40_000);

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

/** The same server as a connection sees it that was set so. */
const withSettings = (settings: string): string => {
  const url = new URL(open.url);
  url.searchParams.set('options', settings);
  return url.href;
};

async function refusal(url: string): Promise<unknown> {
  const database = new Database({ url });
  try {
    return await database.query('SELECT 1').catch((error: unknown) => error);
  } finally {
    await database.end();
  }
}

test.concurrent.each([
  ['synchronous_commit = off', '-c synchronous_commit=off', 'synchronous_commit = off'],
  ['synchronous_commit = local', '-c synchronous_commit=local', 'synchronous_commit = local'],
  ['a read-only server', '-c default_transaction_read_only=on', 'read-only'],
])('a server with %s is refused, and told why', async (_what, settings, why) => {
  expect(await refusal(withSettings(settings))).toMatchObject({
    name: 'UnfitServerError',
    message: expect.stringContaining(why),
  });
});

/** Settings that no session can change: the server is made to say something else of itself. */
const saying = async (schema: string, fake: string): Promise<string> => {
  await open.sql.query(`CREATE SCHEMA ${schema}; CREATE FUNCTION ${schema}.${fake}`);
  return withSettings(`-c search_path=${schema},pg_catalog`);
};
const setting = (name: string, value: string): string => `current_setting(name text) RETURNS text LANGUAGE sql AS
  $$ SELECT CASE WHEN name = '${name}' THEN '${value}' ELSE pg_catalog.current_setting(name) END $$`;

test.concurrent.each([
  ['no_sync', setting('fsync', 'off'), 'fsync = off'],
  ['old', setting('server_version_num', '130022'), 'PostgreSQL 14'],
  ['standby', 'pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS $$ SELECT true $$', 'read-only'],
])('a server that says of itself that it is unfit (%s) is refused', async (schema, fake, why) => {
  expect(await refusal(await saying(schema, fake))).toMatchObject({
    name: 'UnfitServerError',
    message: expect.stringContaining(why),
  });
});

test.concurrent.each(['on', 'remote_write', 'remote_apply'])('synchronous_commit = %s is fit', async (value) => {
  expect(await refusal(withSettings(`-c synchronous_commit=${value}`))).toMatchObject({ rows: [expect.anything()] });
});

test.concurrent.each(['-c synchronous_commit=off', '-c default_transaction_read_only=on'])(
  'a ledger on such a server (%s) decides nothing',
  async (settings) => {
    const ledger = new Ledger({ databaseUrl: withSettings(settings) });
    try {
      const subject = `unfit${settings}`;
      await expect(ledger.claim(open.workspaceNo, { claims: [{ subject, operation: 'book' }] })).rejects.toMatchObject({
        code: 'ledger_unavailable',
      });
      const { rows } = await open.sql.query('SELECT FROM action_ledger.actions WHERE subject = $1', [subject]);
      expect(rows).toEqual([]);
    } finally {
      await ledger.stop();
    }
  },
);

test('of several hosts the one that is fit is found, whichever comes first', async () => {
  const { username, password, host, pathname } = new URL(open.url);
  for (const hosts of [`127.0.0.1:1,${host}`, `${host},127.0.0.1:1`]) {
    const database = new Database({ url: `postgres://${username}:${password}@${hosts}${pathname}` });
    try {
      expect((await database.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    } finally {
      await database.end();
    }
  }
});

test.concurrent('a connection that turns read-only is thrown away and answers nothing', async () => {
  const open = await openLedger();
  const ledger = open.another();
  const claim = (subject: string) => ledger.claim(open.workspaceNo, { claims: [{ subject, operation: 'book' }] });
  await claim('before');
  // As after a promotion of the standby: the server that was the primary refuses to write, on the same connections.
  const name = new URL(open.url).pathname.slice(1);
  await open.sql.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const endBackends = () =>
    open.sql.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'action-ledger'`,
    );
  await endBackends();
  await expect(claim('during')).rejects.toMatchObject({ code: 'ledger_unavailable' });
  await open.sql.query(`SET transaction_read_only = off; ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await endBackends();
  expect(await claim('during')).toMatchObject([{ decision: 'proceed', attempt: 1 }]);
  await open.close();
});
