import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../../ledger-service/src/store/embedded/start-embedded-postgres';
import { createServerFolder } from '../../setup/temp-folder';
import { ask, eventually, holdServer, processesIn, serverPid } from './embedded-server';

// What becomes of the server when the process that owns it ends, and what the next start makes of what it left.

let dataDir: string;

beforeEach(() => {
  dataDir = createServerFolder();
});

afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

const start = (log: string[] = []) => startEmbeddedPostgres({ dataDir, init: false, log: (line) => log.push(line) });

test.each(['exit', 'throw'])(
  'an owner that ends by %s takes its server along',
  async (ending) => {
    const { ended, answer } = await holdServer(dataDir, ending);
    expect(answer.url).toBeDefined();
    await ended;
    await eventually(() => processesIn(dataDir).length === 0);
  },
  30_000,
);

test('a start while another process owns the folder is refused and names that process', async () => {
  const { child, ended } = await holdServer(dataDir);
  try {
    await expect(start()).rejects.toMatchObject({
      code: 'folder_in_use',
      message: expect.stringContaining(`process ${child.pid}`),
    });
  } finally {
    child.kill('SIGKILL');
    await ended;
    await (await start()).stop();
  }
}, 60_000);

test('after SIGKILL of the owner, the next start stops the server it left and keeps what was committed', async () => {
  const { child, ended, answer } = await holdServer(dataDir);
  await ask(answer.url ?? '', 'CREATE TABLE kept AS SELECT 842 AS id');
  const left = serverPid(dataDir);
  child.kill('SIGKILL');
  await ended;
  expect(processesIn(dataDir)).toContain(left);

  const log: string[] = [];
  const server = await start(log);
  try {
    expect(log[0]).toContain(`process ${left}`);
    expect(processesIn(dataDir)).not.toContain(left);
    expect(await ask(server.url, 'SELECT id FROM kept')).toEqual([{ id: 842 }]);
  } finally {
    await server.stop();
  }
}, 60_000);

test('of eight processes that start at once on a folder left by a killed owner, exactly one gets it', async () => {
  const first = await holdServer(dataDir);
  first.child.kill('SIGKILL');
  await first.ended;
  const all = await Promise.all(Array.from({ length: 8 }, () => holdServer(dataDir)));
  try {
    const refused = all.filter(({ answer }) => answer.code === 'folder_in_use');
    const winners = all.filter(({ answer }) => answer.url !== undefined);
    expect([winners.length, refused.length]).toEqual([1, 7]);
    expect(await ask(winners[0]?.answer.url ?? '', 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  } finally {
    for (const { child, ended } of all) {
      child.kill('SIGKILL');
      await ended;
    }
    await (await start()).stop();
  }
}, 120_000);

test('a pid file whose number now belongs to a stranger does not stop a start', async () => {
  const { child, ended } = await holdServer(dataDir);
  const left = serverPid(dataDir);
  child.kill('SIGKILL');
  await ended;
  process.kill(left, 'SIGKILL');
  await eventually(() => processesIn(dataDir).length === 0);
  const pidFile = path.join(dataDir, 'postgresql', 'postmaster.pid');
  writeFileSync(pidFile, `${process.pid}\n${path.dirname(pidFile)}\n`);
  chmodSync(pidFile, 0o666);

  const server = await start();
  try {
    expect(await ask(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  } finally {
    await server.stop();
  }
}, 60_000);
