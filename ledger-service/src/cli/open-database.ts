import path from 'node:path';

import { CommandError } from './command-error';
import { EmbeddedPostgresError } from '../store/embedded/embedded-postgres-error';
import { startEmbeddedPostgres } from '../store/embedded/start-embedded-postgres';
import { runningPostgres } from './running-postgres';

export interface DatabaseChoice {
  /** Where the embedded PostgreSQL keeps its data when DATABASE_URL is not set. */
  data: string;
  init: boolean;
  /** Whether a folder that a running `serve` has in use is used along with it. */
  join: boolean;
  log: (line: string) => void;
}

export interface OpenedDatabase {
  url: string;
  directUrl: string | undefined;
  /** Where the ledger is, in words. */
  where: string;
  stop: () => Promise<void>;
}

/** The PostgreSQL that the environment names, or one of our own on the data folder. */
export async function openDatabase({ data, init, join, log }: DatabaseChoice): Promise<OpenedDatabase> {
  const url = process.env['DATABASE_URL'];
  if (url !== undefined && url !== '') {
    const directUrl = process.env['DATABASE_DIRECT_URL'];
    refuseOtherForms('DATABASE_URL', url);
    if (directUrl !== undefined && directUrl !== '') refuseOtherForms('DATABASE_DIRECT_URL', directUrl);
    return {
      url,
      directUrl: directUrl === '' ? undefined : directUrl,
      where: 'the database of DATABASE_URL',
      stop: () => Promise.resolve(),
    };
  }
  const folder = path.resolve(data);
  try {
    const server = await startEmbeddedPostgres({ dataDir: folder, init, log });
    return { url: server.url, directUrl: undefined, where: folder, stop: () => server.stop() };
  } catch (error) {
    const running = join && isInUse(error) ? runningPostgres(folder) : null;
    if (running === null) throw error;
    return { url: running, directUrl: undefined, where: folder, stop: () => Promise.resolve() };
  }
}

function refuseOtherForms(variable: string, url: string): void {
  // The value itself is not shown: it holds a password.
  if (!/^postgres(ql)?:\/\/[^/]/.test(url)) {
    throw new CommandError(
      `${variable} is not of the form postgres://user@host:port/database (with the password after the user). Nothing was started or changed.`,
    );
  }
}

const isInUse = (error: unknown): boolean => error instanceof EmbeddedPostgresError && error.code === 'folder_in_use';
