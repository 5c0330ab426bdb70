import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { SYSTEM_FOLDER } from './binaries';
import { makeFolder } from './make-folder';
import { firstClosedFolder, isRoot, type RunAs } from './os-user';

/** What lies where in a data folder. */
export interface DataFolder {
  readonly root: string;
  /** PostgreSQL's own data directory. */
  readonly cluster: string;
  /** The database password, readable by the owner of the ledger only. */
  readonly passwordFile: string;
  readonly lockFile: string;
}

export function layOut(dataDir: string): DataFolder {
  const root = path.resolve(dataDir);
  return {
    root,
    cluster: path.join(root, 'postgresql'),
    passwordFile: path.join(root, 'password'),
    lockFile: path.join(root, 'owner.lock'),
  };
}

export const hasCluster = (folder: DataFolder): boolean => existsSync(folder.cluster);

/** Creates the folder if need be (only when a cluster may be made in it) and checks that the server's user gets there. */
export function openDataFolder(folder: DataFolder, runAs: RunAs, mayCreate: boolean): void {
  const closed = firstClosedFolder(folder.root, runAs);
  if (closed) throw unreachable(folder, runAs, closed);
  if (existsSync(folder.root)) return;
  if (!mayCreate) throw noCluster(folder);
  try {
    // Root's folder must let the server's user through to its own part; nobody else's folder needs to.
    makeFolder(folder.root, isRoot() ? 0o711 : 0o700);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'folder_unreachable',
      `The data folder ${folder.root} could not be made. Nothing was started. Give another data folder with --data.`,
      { cause },
    );
  }
}

function unreachable(folder: DataFolder, runAs: RunAs, closed: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'folder_unreachable',
    `The database server runs as user "${runAs.name}", who cannot enter ${closed}, so it cannot use the data folder ${folder.root}. ` +
      `Nothing was started. ${adviceFor(closed, folder.root)}`,
  );
}

function adviceFor(closed: string, root: string): string {
  if (!isRoot()) return `Give another data folder with --data.`;
  const open = closed === root ? ` (or: chmod o+x ${root})` : '';
  return `Give a data folder that this user can reach, for example --data ${path.join(SYSTEM_FOLDER, 'data')}${open}.`;
}

export function noCluster(folder: DataFolder): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'no_cluster',
    `There is no ledger in ${folder.root}. Nothing was started: an empty ledger made by mistake would let every action proceed again. ` +
      `Give the folder of your ledger with --data, or make a new one with --init.`,
  );
}

/** Refuses data of another PostgreSQL version and data that somebody else owns, before the server would with less to say. */
export function assertUsableCluster(folder: DataFolder, majorVersion: string): void {
  let found: string;
  try {
    found = readFileSync(path.join(folder.cluster, 'PG_VERSION'), 'utf8').trim();
  } catch (cause) {
    const owner = statSync(folder.cluster, { throwIfNoEntry: false });
    throw new EmbeddedPostgresError(
      'folder_foreign',
      `${folder.cluster} cannot be read as a PostgreSQL data folder by this user${owner ? ` (it belongs to uid ${String(owner.uid)})` : ''}. ` +
        `Nothing was started. Start the ledger as the user that it was made by, or give another folder with --data.`,
      { cause },
    );
  }
  if (found !== majorVersion) {
    throw new EmbeddedPostgresError(
      'version_mismatch',
      `${folder.cluster} was made by PostgreSQL ${found}, and this is PostgreSQL ${majorVersion}. Nothing was started and nothing was changed. ` +
        `Use the version of Action Ledger that made it, or move the data with pg_dump and DATABASE_URL.`,
    );
  }
}

export function readPassword(folder: DataFolder): string {
  try {
    return readFileSync(folder.passwordFile, 'utf8').trim();
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'folder_foreign',
      `The database password in ${folder.passwordFile} cannot be read. Nothing was started. Start the ledger as the user that it was made by.`,
      { cause },
    );
  }
}
