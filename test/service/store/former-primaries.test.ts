import { Database } from '../../../ledger-service/src/store/database';
import { PrimaryChoice } from '../../../ledger-service/src/store/primary-choice';
import { parseHosts } from '../../../ledger-service/src/store/hosts';
import { openLedger, type OpenLedger } from './open-ledger';

// A promotion raises the timeline by one. One server stands for several here: what it says of its timeline is in a table
// of each pretended server. The real thing, with a standby that is promoted, is a fault of the fault suite.

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
  await open.sql.query('CREATE TABLE public.timelines (server text PRIMARY KEY, timeline int NOT NULL)');
});
afterAll(() => open.close());

/** The server as one that is on a timeline of its own; `null` does not tell. */
async function pretend(server: string, timeline: number | null): Promise<string> {
  await open.sql.query(`CREATE SCHEMA IF NOT EXISTS ${server}`);
  await open.sql.query(`
    CREATE OR REPLACE FUNCTION ${server}.pg_walfile_name(pg_lsn) RETURNS text LANGUAGE sql AS $$
      SELECT lpad(to_hex(timeline), 8, '0') || '0000000000000001' FROM public.timelines WHERE server = '${server}' $$`);
  if (timeline === null) {
    await open.sql.query(`
      CREATE OR REPLACE FUNCTION ${server}.pg_walfile_name(pg_lsn) RETURNS text LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'permission denied' USING ERRCODE = '42501'; END $$`);
  } else await promote(server, timeline);
  const url = new URL(open.url);
  url.searchParams.set('options', `-c search_path=${server},pg_catalog,public`);
  return url.href;
}

const promote = (server: string, timeline: number): Promise<unknown> =>
  open.sql.query('INSERT INTO public.timelines VALUES ($1, $2) ON CONFLICT (server) DO UPDATE SET timeline = $2', [
    server,
    timeline,
  ]);

const nowhere = 'postgres://nobody@127.0.0.1:1/none';

async function chosen(urls: string[]): Promise<string> {
  const choice = new PrimaryChoice(urls.flatMap(parseHosts), { connectionTimeoutMillis: 3_000 });
  await choice.ready();
  return /search_path=(\w+)/.exec(choice.host.options ?? '')?.[1] ?? 'none';
}

test('of two that can be written to the newer one is chosen, whichever is named first', async () => {
  const [former, present] = [await pretend('a1', 1), await pretend('a2', 2)];
  expect(await chosen([former, present])).toBe('a2');
  expect(await chosen([present, former])).toBe('a2');
  expect(await chosen([former, nowhere])).toBe('a1');
});

test('of equals, and where none tells, the first that can be reached is chosen', async () => {
  const [one, two] = [await pretend('b1', 3), await pretend('b2', 3)];
  expect(await chosen([one, two])).toBe('b1');
  expect(await chosen([two, one])).toBe('b2');
  expect(await chosen([nowhere, await pretend('b3', null), await pretend('b4', null)])).toBe('b3');
});

test('where none may decide, the reader is told what was found rather than what was not reached', async () => {
  const readOnly = new URL(open.url);
  readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
  await expect(chosen([nowhere, readOnly.href])).rejects.toThrow(/read-only/);
  await expect(chosen([nowhere, nowhere])).rejects.toThrow(/ECONNREFUSED/);
});

test('when only a former primary is left, nothing is decided', async () => {
  const urls = [await pretend('c1', 1), await pretend('c2', 2)];
  const choice = new PrimaryChoice(urls.flatMap(parseHosts), { connectionTimeoutMillis: 3_000 });
  await choice.ready();
  await promote('c2', 1);
  await expect(choice.lookAgain()).rejects.toThrow(/former primaries/);
});

test('a connection to a server that fell behind is refused, and told why', async () => {
  const database = new Database({ url: await pretend('d1', 7), max: 1 });
  await database.query('SELECT 1');
  await promote('d1', 6);
  // The one connection there is goes away, and its successor meets the former primary.
  await expect(database.query('SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toThrow();
  await expect(database.query('SELECT 1')).rejects.toMatchObject({
    name: 'UnfitServerError',
    message: expect.stringContaining('former primary'),
  });
  await promote('d1', 7);
  expect((await database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await database.end();
});

test('connections to a server are thrown away as soon as a newer primary is met', async () => {
  const database = new Database({ url: await pretend('e1', 4), max: 2 });
  const pid = async (): Promise<number> =>
    (await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;
  const former = await pid();
  await promote('e1', 5);
  // While the first is in use a second connection is made, which leads to the newer one.
  const [, newer] = await Promise.all([database.query('SELECT pg_sleep(0.3)'), pid()]);
  expect(newer).not.toBe(former);
  for (let number = 0; number < 4; number++) {
    const [one, two] = await Promise.all([pid(), pid()]);
    expect([one, two]).not.toContain(former);
  }
  await database.end();
});
