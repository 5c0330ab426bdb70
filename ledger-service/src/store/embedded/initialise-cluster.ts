import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lchownSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Binaries } from './binaries';
import type { DataFolder } from './data-folder';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { credentials, type RunAs } from './os-user';

export const DATABASE_USER = 'action_ledger';

// Written into postgresql.conf, where an operator can change them.
const TUNING = [
  'timezone=UTC',
  'log_timezone=UTC',
  'max_connections=200',
  // The write-ahead log grows with full-page images of a random index; a larger one means fewer checkpoints.
  'max_wal_size=2GB',
  'checkpoint_timeout=15min',
  // The statements are short and many: compiling them costs more than it saves.
  'jit=off',
];

const UNFINISHED = 'postgresql.unfinished-';

/** Makes a new cluster. It appears under its name in one step, when it is complete: an interrupted attempt leaves no ledger. */
export function initialiseCluster(folder: DataFolder, binaries: Binaries, runAs: RunAs): void {
  for (const entry of readdirSync(folder.root)) {
    if (entry.startsWith(UNFINISHED)) rmSync(path.join(folder.root, entry), { recursive: true, force: true });
  }
  const unfinished = path.join(folder.root, `${UNFINISHED}${randomBytes(6).toString('hex')}`);
  mkdirSync(unfinished, { mode: 0o700 });
  giveTo(runAs, unfinished);

  const password = randomBytes(32).toString('base64url');
  // initdb reads it by name, so for this moment it lies in a file that only the server's user can read.
  const passwordForServer = `${unfinished}.password`;
  writeFileSync(passwordForServer, `${password}\n`, { mode: 0o600, flag: 'wx' });
  giveTo(runAs, passwordForServer);
  const made = spawnSync(
    binaries.initdb,
    [
      `--pgdata=${unfinished}`,
      `--username=${DATABASE_USER}`,
      '--auth=scram-sha-256',
      `--pwfile=${passwordForServer}`,
      '--encoding=UTF8',
      '--locale=C',
      // PostgreSQL's own collation: an upgrade of the system's libraries cannot change the order of an index.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...TUNING.flatMap((setting) => ['-c', setting]),
    ],
    { ...credentials(runAs), cwd: unfinished, env: { PATH: process.env['PATH'], LC_ALL: 'C' }, encoding: 'utf8' },
  );
  rmSync(passwordForServer);
  if (made.status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new EmbeddedPostgresError(
      'initdb_failed',
      `A new database could not be made in ${folder.root}; nothing is left there. initdb said:\n${made.error?.message ?? made.stderr.trim()}`,
    );
  }
  writeFileSync(folder.passwordFile, `${password}\n`, { mode: 0o600 });
  renameSync(unfinished, folder.cluster);
}

function giveTo(runAs: RunAs, entry: string): void {
  if (runAs.uid !== undefined && runAs.gid !== undefined) lchownSync(entry, runAs.uid, runAs.gid);
}
