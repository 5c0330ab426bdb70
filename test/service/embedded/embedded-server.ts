import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

export interface HeldServer {
  readonly child: ChildProcess;
  readonly answer: { readonly url?: string; readonly code?: string; readonly message?: string };
  readonly ended: Promise<unknown>;
}

/** Starts hold-server.ts and returns once it has said how its start went. */
export async function holdServer(dataDir: string, ending = ''): Promise<HeldServer> {
  const child = spawn(process.execPath, ['--import', 'tsx', path.join(__dirname, 'hold-server.ts'), dataDir, ending], {
    stdio: ['ignore', 'pipe', ending === 'throw' ? 'ignore' : 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, ended, answer: JSON.parse(line) as HeldServer['answer'] };
  }
  throw new Error('The process that was to hold the server ended without an answer.');
}

export async function ask<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

export function serverPid(dataDir: string): number {
  return Number(readFileSync(path.join(dataDir, 'postgresql', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Polls until the condition holds; the test's own time limit ends it otherwise. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(25);
}

/** Processes that work inside the data folder, which every PostgreSQL process does. Linux only: it reads /proc. */
export function processesIn(dataDir: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === path.join(dataDir, 'postgresql');
      } catch {
        return false;
      }
    });
}
