import { type Logger } from 'pino';

import { CommandError } from './command-error';
import { provideFirstKey } from './first-key';
import { createLogger } from './logger';
import { openDatabase } from './open-database';
import { prepareLedger } from './prepare-ledger';
import { Service } from './service';
import { serviceSettings } from './service-settings';

export interface ServeOptions {
  port: number;
  host: string;
  data: string;
  init: boolean;
}

/** How long what is under way may take to end. */
const SHUTDOWN_MS = 15_000;

/** And how long the database's connections, and the embedded PostgreSQL, may take after that. */
const STOP_MS = 65_000;

export async function serve({ port, host, data, init }: ServeOptions): Promise<void> {
  const log = createLogger();
  const settings = serviceSettings();
  const told = whenTold();
  const database = await openDatabase({
    data,
    init,
    join: false,
    log: (line) => {
      log.info({ part: 'postgresql' }, line);
    },
  });
  let service: Service | undefined;
  try {
    const firstKey: { secret: string | null } = { secret: null };
    const { redisUrl, retentionEveryMs } = settings;
    const { url: databaseUrl, directUrl } = database;
    service = await Service.open({ databaseUrl, directUrl, redisUrl, retentionEveryMs, log }, async (ledger) => {
      const { made } = await prepareLedger(ledger.database, database.where, init);
      firstKey.secret = await provideFirstKey(ledger.apiKeys, made);
    });
    const url = await listen(service, host, port);
    const ledgerId = await service.ledger.id();
    log.info({ url, ledgerId, data: database.where }, 'listening');
    say(`Action Ledger listens on ${url}; its ledger is in ${database.where}, with the ID ${ledgerId}.`);
    if (firstKey.secret !== null) {
      say(`API key (all scopes, workspace "default"), shown only this once:\n\n  ${firstKey.secret}\n`);
    }
    const signal = await told;
    log.info({ signal }, 'ending');
    endAnyway(log);
    if (!(await service.close(SHUTDOWN_MS))) {
      log.warn({ ms: SHUTDOWN_MS }, 'Some requests did not end in time and were cut off. Their callers must ask again');
    }
  } catch (error) {
    await service?.close(0);
    throw error;
  } finally {
    await database.stop();
  }
  log.info('ended');
}

/** Something that never ends (a connection that hangs) must not keep the process; nothing that was confirmed is lost. */
function endAnyway(log: Logger): void {
  setTimeout(() => {
    log.error({ ms: SHUTDOWN_MS + STOP_MS }, 'The service did not end by itself and is ended now');
    process.exit(1);
  }, SHUTDOWN_MS + STOP_MS).unref();
}

async function listen(service: Service, host: string, port: number): Promise<string> {
  try {
    return await service.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new CommandError(
        `Port ${port} on ${host} is in use by another program. Nothing was started. Choose another one with --port.`,
      );
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new CommandError(`The ledger cannot listen on ${host}:${port} (${code}). Nothing was started.`);
    }
    throw error;
  }
}

/** For people; the log on standard output is for programs, and keys do not belong into it. */
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** The first signal ends the service in order, the second at once. */
function whenTold(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve(signal);
      });
    }
  });
}
