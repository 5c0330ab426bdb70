import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServerFolder } from '../setup/temp-folder';

// What `npm start` runs, in a folder of its own, twice: the first start makes the ledger, the second one finds it.

const script = path.resolve(__dirname, '../../ledger-service/scripts/start.mjs');
let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = createServerFolder();
});

afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function startAndStop(): Promise<{ output: string; ledgerId: string | null; code: number | null }> {
  const port = await freePort();
  const env = { ...process.env, DATABASE_URL: undefined };
  const started = spawn(process.execPath, [script, '--port', String(port)], { cwd: folder, env });
  child = started;
  let output = '';
  started.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  started.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => started.once('close', resolve));

  let answer: Response | undefined;
  while (started.exitCode === null && !answer?.ok) {
    answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (!answer?.ok) await sleep(50);
  }
  const whoami = await fetch(`http://127.0.0.1:${port}/v1/whoami`).catch(() => undefined);
  started.kill('SIGTERM');
  return { code: await ended, output, ledgerId: whoami?.headers.get('x-ledger-id') ?? null };
}

test('the first start makes a ledger in ./data and says so; the next one starts the same ledger; SIGTERM ends both', async () => {
  const first = await startAndStop();
  expect(first).toMatchObject({
    code: 0,
    output: expect.stringContaining(`Making a new ledger in ${path.join(folder, 'data')}`),
  });
  expect(readdirSync(path.join(folder, 'data')).sort()).toEqual(['password', 'postgresql']);
  expect(existsSync(path.join(folder, 'data/postgresql/postmaster.pid'))).toBe(false);

  const second = await startAndStop();
  expect(second).toMatchObject({
    code: 0,
    output: expect.stringContaining(`Starting the ledger in ${path.join(folder, 'data')}`),
  });
  expect(first.ledgerId).toEqual(expect.any(String));
  expect(second.ledgerId).toBe(first.ledgerId);
}, 120_000);
