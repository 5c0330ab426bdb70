import { setTimeout as sleep } from 'node:timers/promises';

import { type Fault } from '../fault';
import { startProxiedLedger } from '../servers/proxied-ledger';

/** In milliseconds, from and to: shorter than anybody's patience; about the service's patience; longer than any. */
const SHORT = [300, 1_200] as const;
const LONG = [3_500, 6_000] as const;
const LONGEST = [11_000, 12_000] as const;

/** The way to PostgreSQL holds everything for a while, and then goes on as if nothing had been. */
export const connectionsStalled: Fault = {
  name: 'connections-stalled',
  title: 'service to PostgreSQL: all bytes held for 0.3 to 12 s',
  injections: 50,
  prepare: async (run) => {
    const { postgres, proxy, service, callers } = await startProxiedLedger(run);
    return {
      urls: [service.url],
      databaseUrl: postgres.url,
      inject: async ({ number, random }) => {
        const length: readonly [number, number] = number % 25 === 10 ? LONGEST : number % 5 === 0 ? LONG : SHORT;
        proxy.stall();
        await sleep(random.between(...length));
        proxy.resume();
        await callers.recovered();
      },
      notes: () => [callers.note],
    };
  },
};
