import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { EmbeddedPostgresError } from './embedded-postgres-error';

interface Owner {
  readonly pid: number;
  /** Tells a process from a later one that was given the same number (each container start has a pid 1). */
  readonly born: string;
}

/**
 * One process at a time owns a data folder and the server that runs on it. The lock is a file that names the owner,
 * so that a folder left by a killed process is free again at once. Returns the function that gives the lock back.
 */
export function takeOwnerLock(file: string, folder: string): () => void {
  const mine: Owner = { pid: process.pid, born: bornAt(process.pid) ?? randomUUID() };
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
  try {
    for (;;) {
      // link() is the atomic step: it fails when the file is there.
      if (linked(draft, file)) {
        return () => {
          release(file, mine);
        };
      }
      const owner = readOwner(file);
      if (owner && bornAt(owner.pid) === owner.born) {
        throw new EmbeddedPostgresError(
          'folder_in_use',
          `The data folder ${folder} is in use by process ${String(owner.pid)}. Nothing was started. Stop that process, or give another folder with --data.`,
        );
      }
      removeStale(file, owner);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function linked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readOwner(file: string): Owner | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Owner;
  } catch {
    return null;
  }
}

/** Moves the stale file aside first: if a faster process has replaced it meanwhile, that one's lock is put back. */
function removeStale(file: string, stale: Owner | null): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readOwner(aside);
  if (moved && moved.born !== stale?.born) linked(aside, file);
  rmSync(aside, { force: true });
}

function release(file: string, mine: Owner): void {
  if (readOwner(file)?.born === mine.born) rmSync(file, { force: true });
}

/** Boot and start time of a process, or null when it does not run. */
function bornAt(pid: number): string | null {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
    }
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The name in parentheses may hold spaces, so count from its end: state is field 3, the start time field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : `${boot}:${String(fields[19])}`;
  } catch {
    return null;
  }
}
