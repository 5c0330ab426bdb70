import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface ProcessOptions {
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  logFile: string;
}

/** A process with everything that it started itself; it is ended as one. */
export interface RunningProcess {
  readonly pid: number;
  readonly exited: boolean;
  readonly logFile: string;
  end: (signal?: NodeJS.Signals) => Promise<void>;
  /** For signals that do not end it. */
  signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
}

const running = new Set<ChildProcess>();

// The last resort, when neither the teardown nor a signal handler came to it.
process.on('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});

export function startProcess({ command, args, env, cwd, logFile }: ProcessOptions): RunningProcess {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile, { flags: 'a' });
  // Its own process group: n8n starts a task runner, npm starts node, and all of them must go together.
  const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  child.on('error', (error) => log.write(`${error.message}\n`));
  running.add(child);
  const closed = once(child, 'close').then(() => {
    running.delete(child);
    log.end();
  });
  return {
    get pid() {
      return child.pid ?? -1;
    },
    get exited() {
      return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
    },
    logFile,
    end: async (signal = 'SIGTERM') => {
      signalGroup(child, signal);
      const stubborn = setTimeout(() => signalGroup(child, 'SIGKILL'), 10_000);
      await closed;
      clearTimeout(stubborn);
    },
    signal: (signal) => signalGroup(child, signal),
  };
}

/** Runs a command to its end; if it fails, the error carries the end of its output. */
export async function runToEnd(options: ProcessOptions): Promise<void> {
  mkdirSync(dirname(options.logFile), { recursive: true });
  const child = spawn(options.command, options.args, {
    env: options.env,
    cwd: options.cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const log = createWriteStream(options.logFile, { flags: 'a' });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const [code] = (await once(child, 'close')) as [number | null];
  running.delete(child);
  await new Promise<void>((resolve) => log.end(resolve));
  if (code !== 0) {
    const shown = [options.command, ...options.args].join(' ');
    throw new Error(`"${shown}" ended with code ${code}. The end of its output:\n${lastLines(options.logFile, 30)}`);
  }
}

export function lastLines(file: string, count: number): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
}

export async function endAllProcesses(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const closed = once(child, 'close');
      signalGroup(child, 'SIGKILL');
      await closed;
    }),
  );
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
