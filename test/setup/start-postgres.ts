import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../ledger-service/src/store/embedded/start-embedded-postgres';
import { createServerFolder } from './temp-folder';

declare global {
  var testPostgres: { readonly server: EmbeddedPostgres; readonly folder: string } | undefined;
}

/** One real PostgreSQL for the whole run, unless TEST_DATABASE_URL names one. The workers find it in that variable. */
export default async function startPostgres(): Promise<void> {
  if (process.env['TEST_DATABASE_URL']) return;
  const folder = createServerFolder();
  const log: string[] = [];
  try {
    const server = await startEmbeddedPostgres({ dataDir: folder, init: true, log: (line) => log.push(line) });
    globalThis.testPostgres = { server, folder };
    process.env['TEST_DATABASE_URL'] = server.url;
  } catch (error) {
    // Jest shows the message only, not the cause.
    throw new Error(`The tests' PostgreSQL did not start. ${String(error)}\n${log.join('\n')}`, { cause: error });
  }
  // A run that is told to end early takes its server along.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
}
