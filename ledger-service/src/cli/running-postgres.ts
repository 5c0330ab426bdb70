import { readFileSync } from 'node:fs';
import path from 'node:path';

import { layOut, readPassword } from '../store/embedded/data-folder';
import { DATABASE_USER } from '../store/embedded/initialise-cluster';

/**
 * The address of the PostgreSQL that a running `serve` keeps on this folder, so that keys and operations can be set
 * meanwhile; null where none runs.
 */
export function runningPostgres(dataFolder: string): string | null {
  const folder = layOut(dataFolder);
  // PostgreSQL manual, "postmaster.pid": the fourth line is the port, the eighth the status.
  const lines = readIfThere(path.join(folder.cluster, 'postmaster.pid'))?.split('\n');
  const port = lines?.[3]?.trim() ?? '';
  if (readIfThere(folder.lockFile) === null || lines?.[7]?.trim() !== 'ready' || !/^\d+$/.test(port)) return null;
  return `postgres://${DATABASE_USER}:${encodeURIComponent(readPassword(folder))}@127.0.0.1:${port}/action_ledger`;
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
