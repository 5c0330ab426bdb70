import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Fault, type Injection } from '../fault';
import { LedgerService } from '../servers/ledger-service';
import { PgBouncer } from '../servers/pgbouncer';
import { PostgresServer } from '../servers/postgres-server';
import { WaitingCallers } from '../waiting-callers';

/**
 * PgBouncer in transaction mode in front of everything, with fewer servers than the service has connections, and itself
 * killed, paused and told to reconnect. One service has a direct URL for notifications, the other has none.
 */
export const pgbouncer: Fault = {
  name: 'pgbouncer',
  title: 'PgBouncer in transaction mode: killed, paused, reconnected, its PostgreSQL killed',
  injections: 50,
  needs: ['pgbouncer'],
  prepare: async (run) => {
    const { folder } = run;
    const postgres = await PostgresServer.start(path.join(folder, 'data'));
    run.atEnd(() => postgres.stop());
    const bouncer = await PgBouncer.start(path.join(folder, 'pgbouncer'), postgres.url);
    run.atEnd(() => bouncer.end());
    const withDirectUrl = await LedgerService.start({ databaseUrl: bouncer.url, directUrl: postgres.url, folder });
    run.atEnd(() => withDirectUrl.stop());
    const without = await LedgerService.start({ databaseUrl: bouncer.url, folder });
    run.atEnd(() => without.stop());
    const services = [withDirectUrl, without];
    const urls = services.map(({ url }) => url);
    const waiters = new WaitingCallers();
    return {
      urls,
      databaseUrl: postgres.url,
      inject: async (injection) => {
        await injection.random.pick(WAYS)({ bouncer, postgres, ...injection });
        await waiters.served(urls);
        for (const { logFile } of services) refusePreparedStatements(logFile);
      },
      notes: () => [`waiting claims were told at most ${(waiters.longestMs / 1_000).toFixed(1)} s after the receipt`],
    };
  },
};

interface Breaking extends Injection {
  bouncer: PgBouncer;
  postgres: PostgresServer;
}

const WAYS: readonly ((breaking: Breaking) => Promise<void>)[] = [
  async ({ bouncer, random }) => {
    await bouncer.end(random.pick(['SIGKILL', 'SIGTERM']));
    await sleep(random.between(0, 500));
    await bouncer.start();
  },
  async ({ bouncer, random }) => {
    bouncer.signal('SIGSTOP');
    try {
      await sleep(random.between(100, 2_000));
    } finally {
      bouncer.signal('SIGCONT');
    }
  },
  async ({ bouncer, random }) => {
    await bouncer.command('PAUSE');
    await sleep(random.between(0, 1_000));
    await bouncer.command('RESUME');
  },
  async ({ bouncer, random }) => {
    // Every transaction under way is cut off.
    await bouncer.command(`KILL ${PgBouncer.database}`);
    await sleep(random.between(0, 300));
    await bouncer.command(`RESUME ${PgBouncer.database}`);
  },
  async ({ bouncer, random }) => {
    for (let times = random.between(1, 5); times > 0; times--) {
      await bouncer.command('RECONNECT');
      await sleep(random.between(0, 100));
    }
  },
  async ({ postgres, random }) => {
    postgres.kill(random.pick(['SIGKILL', 'SIGQUIT', 'SIGINT']));
    await postgres.ready();
  },
];

/** A statement that one server prepared and another was asked for must never reach a caller, nor the log. */
function refusePreparedStatements(logFile: string): void {
  const line = readFileSync(logFile, 'utf8')
    .split('\n')
    .find((text) => /prepared statement/i.test(text));
  if (line !== undefined) throw new Error(`The service's log speaks of prepared statements: ${line}`);
}
