import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../../ledger-service/src/store/embedded/start-embedded-postgres';
import { createServerFolder } from '../../setup/temp-folder';
import { ask, eventually, serverPid } from './embedded-server';

let folder: string;
let dataDir: string;
let started: EmbeddedPostgres[];

const start = async (options: { init?: boolean; port?: number; dataDir?: string } = {}): Promise<EmbeddedPostgres> => {
  const server = await startEmbeddedPostgres({ dataDir, init: true, log: () => undefined, ...options });
  started.push(server);
  return server;
};

beforeEach(() => {
  folder = createServerFolder();
  dataDir = path.join(folder, 'data');
  started = [];
});

afterEach(async () => {
  for (const server of started) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('without init, a folder that holds no ledger is refused and nothing is made', async () => {
  await expect(start({ init: false })).rejects.toMatchObject({
    code: 'no_cluster',
    message: expect.stringContaining('--init'),
  });
  expect(existsSync(dataDir)).toBe(false);
});

test('the first start makes a database that syncs, listens on loopback only and keeps its password to itself', async () => {
  const server = await start();
  expect(server.created).toBe(true);
  const settings = await ask<{ name: string; setting: string }>(
    server.url,
    `SELECT name, setting FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses', 'unix_socket_directories', 'data_checksums', 'TimeZone')`,
  );
  expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
    data_checksums: 'on',
    fsync: 'on',
    full_page_writes: 'on',
    listen_addresses: '127.0.0.1',
    synchronous_commit: 'on',
    TimeZone: 'UTC',
    unix_socket_directories: '',
  });
  expect(statSync(path.join(dataDir, 'password')).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir).sort()).toEqual(['owner.lock', 'password', 'postgresql']);
});

test('a connection with another password is refused', async () => {
  const url = new URL((await start()).url);
  url.password = 'wrong';
  await expect(ask(url.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
});

test('what was committed is there after a stop and a start, with and without init', async () => {
  const first = await start();
  await ask(first.url, 'CREATE TABLE kept AS SELECT 842 AS id');
  await first.stop();
  const second = await start({ init: false });
  expect(second.created).toBe(false);
  await second.stop();
  const third = await start({ init: true });
  expect(third.created).toBe(false);
  expect(await ask(third.url, 'SELECT id FROM kept')).toEqual([{ id: 842 }]);
});

test('an interrupted first start leaves no ledger, and the next one with init makes it', async () => {
  dataDir = folder;
  const leftover = path.join(dataDir, 'postgresql.unfinished-00');
  mkdirSync(leftover);
  await expect(start({ init: false })).rejects.toMatchObject({ code: 'no_cluster' });
  expect((await start()).created).toBe(true);
  expect(existsSync(leftover)).toBe(false);
});

test('a second start on the same folder in the same process is refused, and the first goes on', async () => {
  const first = await start();
  await expect(start()).rejects.toMatchObject({
    code: 'folder_in_use',
    message: expect.stringContaining(`process ${process.pid}`),
  });
  expect(await ask(first.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a port that another program uses is named, and the folder is free again afterwards', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  try {
    await expect(start({ port })).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringContaining(`Port ${port}`),
    });
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
  expect(new URL((await start({ port })).url).port).toBe(String(port));
});

test('data of another PostgreSQL version are refused by name', async () => {
  await (await start()).stop();
  writeFileSync(path.join(dataDir, 'postgresql', 'PG_VERSION'), '12\n');
  await expect(start()).rejects.toMatchObject({
    code: 'version_mismatch',
    message: expect.stringContaining('PostgreSQL 12'),
  });
});

test('a server that dies is started again on the same port', async () => {
  const server = await start();
  await ask(server.url, 'CREATE TABLE kept AS SELECT 842 AS id');
  const before = serverPid(dataDir);
  process.kill(before, 'SIGKILL');
  await eventually(() =>
    ask(server.url, 'SELECT 1').then(
      () => true,
      () => false,
    ),
  );
  expect(serverPid(dataDir)).not.toBe(before);
  expect(await ask(server.url, 'SELECT id FROM kept')).toEqual([{ id: 842 }]);
}, 30_000);

test('stop can be called twice, and leaves no process and no lock', async () => {
  const server = await start();
  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
  expect(readdirSync(dataDir).sort()).toEqual(['password', 'postgresql']);
  expect(existsSync(path.join(dataDir, 'postgresql', 'postmaster.pid'))).toBe(false);
});
