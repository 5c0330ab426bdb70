import { setTimeout as sleep } from 'node:timers/promises';

import { type Fault } from '../fault';
import { type Random } from '../random';
import { startLedgerWithProxiedCallers } from '../servers/proxied-ledger';
import { type TcpProxy } from '../servers/tcp-proxy';

/** The workers' connections to the ledger fall silent or are cut, in the middle of requests and answers. */
export const clientHalfOpen: Fault = {
  name: 'client-half-open',
  title: 'workers to ledger: connections fall silent, are cut, stall',
  injections: 60,
  prepare: async (run) => {
    const { postgres, proxy, url } = await startLedgerWithProxiedCallers(run);
    return {
      urls: [url],
      databaseUrl: postgres.url,
      load: { callMs: 1_500 },
      inject: async ({ random }) => {
        await random.pick(WAYS)(proxy, random);
      },
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
    const how = random.pick(['cut', 'silent', 'half_open'] as const);
    const direction = random.pick(['requests', 'answers'] as const);
    proxy.break({ how, after: { bytes: () => random.between(1, 3_000), direction } });
  },
  async (proxy, random) => {
    proxy.stall();
    await sleep(random.between(100, 2_500));
    proxy.resume();
  },
  async (proxy, random) => {
    proxy.reception = random.pick(['refuse', 'silent']);
    proxy.break({ how: 'half_open' });
    await sleep(random.between(100, 1_500));
    proxy.reception = 'pass';
  },
];
