import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { makeFolder } from './make-folder';
import { credentials, isRoot, type RunAs } from './os-user';
import type { PlatformPackage } from './platform-package';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** As in PG_VERSION of a data folder, for example "18". */
  readonly majorVersion: string;
}

/**
 * The server's programs, at a place from which the given user can run them. Normally that is the npm package's own
 * folder. Where the user cannot enter it (a checkout below /root) or its library links are missing and cannot be made
 * (a read-only install), they are copied once into a cache folder that only root, or only we, can write.
 */
export function provideBinaries(
  found: PlatformPackage,
  runAs: RunAs,
  log: (line: string) => void,
  cacheRoot: string = defaultCacheRoot(),
): Binaries {
  const inPlace = path.join(found.root, 'native');
  if (linkLibraries(found.root) && runs(inPlace, runAs)) return describe(inPlace, found.version);

  const cached = path.join(cacheRoot, `postgresql-${found.version}-${process.arch}`);
  if (!existsSync(cached)) {
    log(`Copying the PostgreSQL programs to ${cached}: user "${runAs.name}" cannot run them from ${inPlace}.`);
    copyOnce(found.root, cached);
  }
  assertOnlyOursToWrite(cached);
  const copied = path.join(cached, 'native');
  if (!runs(copied, runAs)) {
    throw new EmbeddedPostgresError(
      'binaries_unusable',
      `User "${runAs.name}" can run PostgreSQL neither from ${inPlace} nor from ${copied}. Nothing was started. ` +
        `Remove ${cached} so that it is copied again, or set DATABASE_URL. The system said: ${complaint(copied, runAs)}`,
    );
  }
  return describe(copied, found.version);
}

/** Makes the library links that the package's install script would make; false where they are missing and cannot be made. */
function linkLibraries(root: string): boolean {
  const list = path.join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  return links.every(({ source, target }) => {
    const at = path.join(root, target);
    if (lstatSync(at, { throwIfNoEntry: false })) return true;
    try {
      symlinkSync(path.relative(path.dirname(target), source), at);
      return true;
    } catch {
      return lstatSync(at, { throwIfNoEntry: false }) !== undefined;
    }
  });
}

function tryRun(native: string, program: string, runAs: RunAs) {
  return spawnSync(path.join(native, 'bin', program), ['--version'], {
    ...credentials(runAs),
    cwd: '/',
    encoding: 'utf8',
  });
}

const runs = (native: string, runAs: RunAs): boolean =>
  ['postgres', 'initdb'].every((program) => tryRun(native, program, runAs).status === 0);

function complaint(native: string, runAs: RunAs): string {
  const tried = tryRun(native, 'postgres', runAs);
  return tried.error?.message ?? tried.stderr.trim();
}

function describe(native: string, version: string): Binaries {
  return {
    initdb: path.join(native, 'bin', 'initdb'),
    postgres: path.join(native, 'bin', 'postgres'),
    majorVersion: version.split('.')[0] ?? version,
  };
}

export const SYSTEM_FOLDER = '/var/lib/action-ledger';

function defaultCacheRoot(): string {
  if (isRoot()) return SYSTEM_FOLDER;
  return path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'action-ledger');
}

function copyOnce(root: string, cached: string): void {
  const incomplete = `${cached}.${randomUUID()}`;
  try {
    makeFolder(incomplete, 0o755);
    copyForOthersToRead(path.join(root, 'native'), path.join(incomplete, 'native'));
    linkLibraries(incomplete);
    // One step, so that nobody ever runs from half a copy; losing to another process that copied the same is fine.
    renameSync(incomplete, cached);
  } catch (cause) {
    rmSync(incomplete, { recursive: true, force: true });
    if (existsSync(cached)) return;
    throw new EmbeddedPostgresError(
      'binaries_unusable',
      `The PostgreSQL programs could not be copied to ${cached}. Nothing was started. Make ${path.dirname(cached)} writable, or set DATABASE_URL.`,
      { cause },
    );
  }
}

/** A copy that everybody can read and only we can write, whatever the modes of the original (a read-only or group-writable install). */
function copyForOthersToRead(from: string, to: string): void {
  makeFolder(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) copyForOthersToRead(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else {
      // Not copyFile: it would hand the copy to the original's owner.
      writeFileSync(target, readFileSync(source));
      chmodSync(target, statSync(source).mode & 0o100 ? 0o755 : 0o644);
    }
  }
}

/** Root must never run what somebody else could have put there. */
function assertOnlyOursToWrite(cached: string): void {
  const ourselves = process.getuid?.();
  for (const at of [
    path.dirname(cached),
    cached,
    ...['bin/postgres', 'bin/initdb', 'bin', 'lib'].map((part) => path.join(cached, 'native', part)),
  ]) {
    const found = statSync(at);
    if (found.uid !== ourselves || (found.mode & 0o022) !== 0) {
      throw new EmbeddedPostgresError(
        'binaries_unusable',
        `${at} can be written by somebody else, so PostgreSQL is not run from it. Nothing was started. Remove ${cached} and start again.`,
      );
    }
  }
}
