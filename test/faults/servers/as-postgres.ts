import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';

import { runToEnd } from '../../e2e/stack/child-process';

/** Debian's PostgreSQL. Its other programs (`pgbouncer`, `patroni`) are on the PATH. */
export const POSTGRESQL = '/usr/lib/postgresql/15/bin';

/** Nothing of ours: PG* variables in our environment are not the servers' business. */
export const SERVER_ENVIRONMENT = {
  PATH: `${POSTGRESQL}:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** PostgreSQL and PgBouncer refuse to run as root; everybody else runs them as himself. */
const isRoot = process.getuid?.() === 0;
const USER = 'postgres';

/** The same command as the database's user. `setpriv` becomes the program, so that it is signalled as if it were it. */
export function asPostgres(command: string, args: readonly string[]): { command: string; args: string[] } {
  if (!isRoot) return { command, args: [...args] };
  return { command: 'setpriv', args: [`--reuid=${USER}`, `--regid=${USER}`, '--init-groups', command, ...args] };
}

/** Makes a folder that belongs to the database's user. */
export function folderOfPostgres(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  giveToPostgres(folder);
}

export function giveToPostgres(entry: string): void {
  if (isRoot) chownSync(entry, idOf('-u'), idOf('-g'));
}

/** Runs a program to its end as the database's user; the end of its output is in the error where it fails. */
export async function runAsPostgres(
  program: string,
  args: readonly string[],
  where: { cwd: string; logFile: string },
): Promise<void> {
  await runToEnd({ ...asPostgres(program, args), env: SERVER_ENVIRONMENT, ...where });
}

const idOf = (which: '-u' | '-g'): number => Number(execFileSync('id', [which, USER], { encoding: 'utf8' }));
