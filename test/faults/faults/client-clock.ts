import path from 'node:path';

import { Client } from 'pg';

import { until } from '../../e2e/stack/until';
import { type Fault } from '../fault';
import { assertLeasesEndedInTime, assertLeasesTakeTheDatabasesClock } from '../lease-times';
import { LedgerService } from '../servers/ledger-service';
import { PostgresServer } from '../servers/postgres-server';
import { WrongClock } from '../servers/wrong-clock';

const TEN_MINUTES_MS = 600_000;
/** How exactly the clock of a service must be as wrong as it was set. */
const CLOCK_TOLERANCE_MS = 5_000;

/** Workers and both services have clocks that are ten minutes wrong, each in another direction, and are set while they run. */
export const clientClock: Fault = {
  name: 'client-clock',
  title: 'clocks of workers and services wrong by ±10 minutes',
  injections: 50,
  needs: ['faketime'],
  prepare: async ({ folder, random, atEnd }) => {
    const postgres = await PostgresServer.start(path.join(folder, 'data'));
    atEnd(() => postgres.stop());
    const sql = new Client({ connectionString: postgres.url });
    await sql.connect();
    atEnd(() => sql.end());
    const clocks = [TEN_MINUTES_MS, -TEN_MINUTES_MS].map(
      (errorMs, index) => new WrongClock(path.join(folder, `clock-${index}`), errorMs),
    );
    const services: LedgerService[] = [];
    for (const { environment } of clocks) {
      const service = await LedgerService.start({ databaseUrl: postgres.url, folder, env: environment });
      atEnd(() => service.stop());
      services.push(service);
    }
    const urls = services.map(({ url }) => url);
    atEnd(() => assertLeasesEndedInTime(sql));
    return {
      urls,
      databaseUrl: postgres.url,
      get load() {
        return { clockErrorMs: random.pick([TEN_MINUTES_MS, -TEN_MINUTES_MS, 0]), leaseSeconds: 3 };
      },
      inject: async ({ number, random }) => {
        const errors = random.shuffled([TEN_MINUTES_MS, random.pick([-TEN_MINUTES_MS, 0])]);
        clocks.forEach((clock, index) => clock.set(errors[index] ?? 0));
        await Promise.all(urls.map((url, index) => clockIsWrong(url, errors[index] ?? 0)));
        await assertLeasesTakeTheDatabasesClock({ urls, sql, name: `clock-${number}` });
        await assertLeasesEndedInTime(sql);
      },
    };
  },
};

/** Resolves when the service's own clock is as far off as it was set: what it says in its Date header. */
async function clockIsWrong(url: string, errorMs: number): Promise<void> {
  await until(
    async () => {
      const { headers } = await fetch(`${url}/healthz`);
      const clock = Date.parse(headers.get('date') ?? '');
      return Math.abs(clock - Date.now() - errorMs) < CLOCK_TOLERANCE_MS;
    },
    { what: `the clock of ${url} to be wrong by ${errorMs} ms` },
  );
}
