import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { provideBinaries } from './binaries';
import { assertUsableCluster, hasCluster, layOut, noCluster, openDataFolder, readPassword } from './data-folder';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { DATABASE_USER, initialiseCluster } from './initialise-cluster';
import { chooseRunAs } from './os-user';
import { findPlatformPackage } from './platform-package';
import { takeOwnerLock } from './owner-lock';
import {
  startPostmaster,
  stopAbandonedServer,
  stopPostmaster,
  type Postmaster,
  type PostmasterOptions,
} from './postmaster';

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  /** On 127.0.0.1; 0 or absent: a free one, another at each start. */
  readonly port?: number;
  /** Whether a new database may be made where there is none. */
  readonly init: boolean;
  /** Receives the server's log and what is done about it, one line at a time. */
  readonly log: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** Connection string with the password in it: not for logs. */
  readonly url: string;
  /** True when this call made the database. */
  readonly created: boolean;
  /** Stops the server in order and gives the folder back. May be called more than once. */
  stop(): Promise<void>;
}

const DATABASE = 'action_ledger';
const RESTART_DELAYS_MS = [0, 250, 500, 1_000, 2_000, 5_000];

/**
 * Starts a real PostgreSQL on a data folder, on the loopback interface only, behind a generated password, and keeps it
 * running: when the server dies while we live, it is started again on the same port. It is shut down when this process
 * exits; after a SIGKILL, the next start on the folder does it.
 *
 * @throws {EmbeddedPostgresError} with a message that names what to do; nothing runs then.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log } = options;
  const folder = layOut(options.dataDir);
  const runAs = chooseRunAs(folder.cluster, log);
  openDataFolder(folder, runAs, options.init);
  const created = !hasCluster(folder);
  if (created && !options.init) throw noCluster(folder);

  const releaseLock = takeOwnerLock(folder.lockFile, folder.root);
  try {
    const binaries = provideBinaries(findPlatformPackage(), runAs, log);
    if (created) initialiseCluster(folder, binaries, runAs);
    assertUsableCluster(folder, binaries.majorVersion);
    const password = readPassword(folder);
    await stopAbandonedServer(folder.cluster, log);
    const { postmaster, port } = await startOnPort(options.port ?? 0, {
      program: binaries.postgres,
      clusterFolder: folder.cluster,
      runAs,
      log,
    });
    const address = (database: string) =>
      `postgres://${DATABASE_USER}:${encodeURIComponent(password)}@127.0.0.1:${String(port)}/${database}`;
    const keeper = keepRunning(postmaster, {
      program: binaries.postgres,
      clusterFolder: folder.cluster,
      port,
      runAs,
      log,
    });
    const stop = once(async () => {
      await keeper.stop();
      releaseLock();
    });
    try {
      await ensureDatabase(address('postgres'));
    } catch (error) {
      await stop();
      throw error;
    }
    return { url: address(DATABASE), created, stop };
  } catch (error) {
    releaseLock();
    throw error;
  }
}

async function startOnPort(
  wanted: number,
  options: Omit<PostmasterOptions, 'port'>,
): Promise<{ postmaster: Postmaster; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = wanted === 0 ? await findFreePort() : wanted;
    try {
      return { postmaster: await startPostmaster({ ...options, port }), port };
    } catch (error) {
      // A port that was free a moment ago can be taken by another program; one that was asked for cannot be replaced.
      const taken = error instanceof EmbeddedPostgresError && error.code === 'port_in_use';
      if (!taken || wanted !== 0 || attempt === 5) throw error;
    }
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('The system gave no free port.'));
      });
    });
  });
}

/** Watches over the server until `stop`. */
function keepRunning(first: Postmaster, options: PostmasterOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const toldToStop = () => stopping.signal.aborted;
  let current = first;

  const watching = (async () => {
    for (;;) {
      await current.exited;
      if (toldToStop()) return;
      options.log('The embedded PostgreSQL ended unexpectedly; starting it again.');
      const restarted = await restart(options, stopping.signal);
      if (!restarted) return;
      current = restarted;
      // We may have been told to stop while it was starting.
      if (toldToStop()) await stopPostmaster(current);
    }
  })();

  return {
    async stop() {
      stopping.abort();
      await stopPostmaster(current);
      await watching;
    },
  };
}

async function restart(options: PostmasterOptions, stopping: AbortSignal): Promise<Postmaster | null> {
  for (let attempt = 0; ; attempt += 1) {
    const delay = RESTART_DELAYS_MS[Math.min(attempt, RESTART_DELAYS_MS.length - 1)];
    const wanted = await sleep(delay, true, { signal: stopping }).catch(() => false);
    if (!wanted) return null;
    try {
      await stopAbandonedServer(options.clusterFolder, options.log);
      return await startPostmaster(options);
    } catch (error) {
      options.log(`The embedded PostgreSQL could not be started again: ${(error as Error).message}`);
    }
  }
}

/** The database is made at the first start, not by initdb; a start that was interrupted in between makes it up here. */
async function ensureDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
