import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { credentials, type RunAs } from './os-user';

export interface PostmasterOptions {
  readonly program: string;
  readonly clusterFolder: string;
  readonly port: number;
  readonly runAs: RunAs;
  readonly log: (line: string) => void;
}

export interface Postmaster {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
}

// On the command line, so that no configuration file can weaken what the ledger promises or open it to the network.
const FIXED_SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=on',
  'full_page_writes=on',
  'synchronous_commit=on',
  'logging_collector=off',
  'log_destination=stderr',
];

const STOP_TIMEOUT_MS = 60_000;

/** Starts the server and returns once it accepts connections. Crash recovery may take its time; it is waited for. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const { program, clusterFolder, port, runAs, log } = options;
  const settings = [...FIXED_SETTINGS, `port=${String(port)}`].flatMap((setting) => ['-c', setting]);
  const child = spawn(program, ['-D', clusterFolder, ...settings], {
    ...credentials(runAs),
    cwd: clusterFolder,
    env: serverEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its own process group: Ctrl-C in the terminal must reach us alone, so that the ledger drains before its database stops.
    detached: true,
  });
  // Our own exit, however it comes about, takes the server along; only SIGKILL leaves it to the next start.
  const stopWithUs = () => child.kill('SIGINT');
  process.once('exit', stopWithUs);
  const lastLines: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    for (const line of chunk.split('\n').filter(Boolean)) {
      log(line);
      lastLines.push(line);
      if (lastLines.length > 20) lastLines.shift();
    }
  });
  const server = { ended: false };
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      server.ended = true;
      process.off('exit', stopWithUs);
      resolve();
    };
    child.once('close', end);
    child.once('error', (error) => {
      lastLines.push(error.message);
      end();
    });
  });
  while (!isReady(clusterFolder, child.pid)) {
    if (server.ended) throw startFailure(lastLines.join('\n'), port);
    await Promise.race([exited, sleep(20)]);
  }
  return { child, exited };
}

/** Fast shutdown (open transactions are rolled back, a checkpoint is written); immediate when that takes over a minute. */
export async function stopPostmaster({ child, exited }: Postmaster): Promise<void> {
  child.kill('SIGINT');
  const late = await Promise.race([exited, sleep(STOP_TIMEOUT_MS, 'late' as const, { ref: false })]);
  if (late !== 'late') return;
  child.kill('SIGQUIT');
  await exited;
}

/**
 * A process that was killed leaves its server running. Nobody owns it any more (the caller holds the owner lock), so
 * it is shut down in order, and its data are safe to start on again.
 */
export async function stopAbandonedServer(clusterFolder: string, log: (line: string) => void): Promise<void> {
  const pid = readPidFile(clusterFolder)?.pid;
  if (pid === undefined) return;
  if (worksIn(pid, clusterFolder)) {
    log(
      `A PostgreSQL server (process ${String(pid)}) was left running on this folder by a process that ended; stopping it first.`,
    );
    process.kill(pid, 'SIGINT');
  }
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  // The server's own children outlive it for a moment when it was killed: they must be gone too.
  while (worksIn(pid, clusterFolder) || anyoneWorksIn(clusterFolder)) {
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        'stop_failed',
        `A PostgreSQL server (process ${String(pid)}) still runs on ${clusterFolder} and does not stop. Nothing was started. Stop it by hand, then start again.`,
      );
    }
    await sleep(50);
  }
  // PostgreSQL takes a stranger that now has the old number for a running server, and refuses to start.
  if (isAlive(pid) && process.platform === 'linux') rmSync(path.join(clusterFolder, 'postmaster.pid'), { force: true });
}

function serverEnvironment(): NodeJS.ProcessEnv {
  // Nothing of ours: PG* variables and credentials in our environment are not the server's business.
  return { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

function readPidFile(clusterFolder: string): { pid: number; status: string | undefined } | null {
  try {
    const lines = readFileSync(path.join(clusterFolder, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return Number.isInteger(pid) && pid > 0 ? { pid, status: lines[7]?.trim() } : null;
  } catch {
    return null;
  }
}

function isReady(clusterFolder: string, pid: number | undefined): boolean {
  const found = readPidFile(clusterFolder);
  return found !== null && found.pid === pid && found.status === 'ready';
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether that process is the server of this folder: every PostgreSQL process works in its data folder. */
function worksIn(pid: number, clusterFolder: string): boolean {
  if (process.platform !== 'linux') return isAlive(pid);
  try {
    return readlinkSync(`/proc/${String(pid)}/cwd`) === realpathSync(clusterFolder);
  } catch {
    return false;
  }
}

function anyoneWorksIn(clusterFolder: string): boolean {
  if (process.platform !== 'linux') return false;
  return readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && worksIn(Number(entry), clusterFolder));
}

function startFailure(output: string, port: number): EmbeddedPostgresError {
  if (/Address already in use/.test(output)) {
    return new EmbeddedPostgresError(
      'port_in_use',
      `Port ${String(port)} on 127.0.0.1 is in use by another program. PostgreSQL was not started. Choose another port, or 0 for a free one.`,
    );
  }
  return new EmbeddedPostgresError('start_failed', `PostgreSQL did not start. It said:\n${output}`);
}
