import { setTimeout as sleep } from 'node:timers/promises';

import { type Fault } from '../fault';
import { type Random } from '../random';
import { LEDGER_WRITES_WITHOUT_SYNC } from '../servers/ledger-messages';
import { startProxiedLedger } from '../servers/proxied-ledger';
import { type TcpProxy } from '../servers/tcp-proxy';

/**
 * The service's connections to PostgreSQL fall silent for good: nobody tells it. New ones pass, at once or after a
 * while. In some cases PostgreSQL keeps its side open with a part of a statement, or with all but its end: that one it
 * has carried out, and holds its locks.
 */
export const halfOpen: Fault = {
  name: 'half-open',
  title: 'service to PostgreSQL: connections fall silent for good',
  injections: 50,
  prepare: async (run) => {
    const { postgres, proxy, service, callers } = await startProxiedLedger(run);
    return {
      urls: [service.url],
      databaseUrl: postgres.url,
      inject: async ({ random }) => {
        await random.pick(WAYS)(proxy, random);
        await callers.recovered();
      },
      notes: () => [callers.note],
    };
  },
};

const WAYS: readonly ((proxy: TcpProxy, random: Random) => Promise<void>)[] = [
  async (proxy) => {
    proxy.break({ how: 'half_open' });
  },
  async (proxy) => {
    proxy.break({ how: 'silent' });
  },
  async (proxy, random) => {
    proxy.break({ how: 'silent', after: { bytes: () => random.between(1, 6_000), direction: 'requests' } });
  },
  async (proxy) => {
    proxy.withhold({ ...LEDGER_WRITES_WITHOUT_SYNC, how: 'silent' });
  },
  async (proxy, random) => {
    proxy.reception = 'silent';
    proxy.break({ how: 'half_open' });
    await sleep(random.between(200, 2_000));
    proxy.reception = 'pass';
  },
];
