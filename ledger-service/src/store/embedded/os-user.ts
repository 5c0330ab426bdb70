import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error';

/** The OS user that the database server runs as. `uid` and `gid` are set only where they differ from our own. */
export interface RunAs {
  readonly name: string;
  readonly uid?: number;
  readonly gid?: number;
}

const SERVER_USER = 'postgres';

export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * PostgreSQL refuses to run as root. Root therefore hands over to the owner of the existing data, or to the
 * OS user `postgres`, which is created where there is none. Anybody else runs it as himself.
 */
export function chooseRunAs(clusterFolder: string, log: (line: string) => void): RunAs {
  if (!isRoot()) return { name: userName(process.getuid?.()) };
  const owner = statSync(clusterFolder, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { name: userName(owner.uid), uid: owner.uid, gid: owner.gid };
  return lookUpUser(SERVER_USER) ?? createServerUser(log);
}

function userName(uid: number | undefined): string {
  if (uid === undefined) return 'the current user';
  const found = spawnSync('id', ['-un', '--', String(uid)], { encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : `uid ${String(uid)}`;
}

function lookUpUser(name: string): RunAs | null {
  const ask = (flag: string) => spawnSync('id', [flag, '--', name], { encoding: 'utf8' });
  const [uid, gid] = [ask('-u'), ask('-g')];
  if (uid.status !== 0 || gid.status !== 0) return null;
  return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

function createServerUser(log: (line: string) => void): RunAs {
  let cause: unknown;
  try {
    execFileSync(
      'useradd',
      [
        '--system',
        '--user-group',
        '--no-create-home',
        '--home-dir',
        '/nonexistent',
        '--shell',
        '/bin/false',
        SERVER_USER,
      ],
      { stdio: 'pipe' },
    );
    log(`Created the system user "${SERVER_USER}": PostgreSQL does not run as root.`);
  } catch (error) {
    // Another process may have created it at the same moment; the look-up below decides.
    cause = error;
  }
  const user = lookUpUser(SERVER_USER);
  if (user) return user;
  throw new EmbeddedPostgresError(
    'os_user_missing',
    `PostgreSQL does not run as root, and the system user "${SERVER_USER}" could not be created. Nothing was started. ` +
      `Create it (useradd --system ${SERVER_USER}), run this as another user, or set DATABASE_URL.`,
    { cause },
  );
}

/** True when that user can enter the folder. Asked of the system itself, so that ACLs and mounts count too. */
export function canEnter(folder: string, runAs: RunAs): boolean {
  const asked = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], {
    ...credentials(runAs),
    cwd: '/',
    stdio: 'ignore',
  });
  return asked.status === 0;
}

/** The outermost existing folder on the way to `folder` that the user cannot enter, or null. */
export function firstClosedFolder(folder: string, runAs: RunAs): string | null {
  const parents: string[] = [];
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    parents.unshift(at);
    if (at === path.dirname(at)) break;
  }
  return parents.find((at) => exists(at) && !canEnter(at, runAs)) ?? null;
}

function exists(entry: string): boolean {
  try {
    return statSync(entry, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // It lies in a folder that is closed to us; that folder is the one to name.
    return false;
  }
}

/** Options for `spawn` that make a child run as the user, and nothing where we are that user already. */
export function credentials(runAs: RunAs): { uid?: number; gid?: number } {
  return runAs.uid === undefined ? {} : { uid: runAs.uid, gid: runAs.gid };
}
