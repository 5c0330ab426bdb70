import { setTimeout as sleep } from 'node:timers/promises';

import { type Fault } from '../fault';
import { type Random } from '../random';
import { startProxiedLedger } from '../servers/proxied-ledger';
import { type TcpProxy } from '../servers/tcp-proxy';

/** The service's connections to PostgreSQL are reset, between statements and in the middle of messages. */
export const connectionsCut: Fault = {
  name: 'connections-cut',
  title: 'service to PostgreSQL: connections reset, in mid-message too',
  injections: 60,
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
  async (proxy, random) => {
    for (let times = random.between(1, 6); times > 0; times--) {
      proxy.break({ how: 'cut' });
      await sleep(random.between(5, 150));
    }
  },
  async (proxy, random) => {
    proxy.break({ how: 'cut', after: { bytes: () => random.between(1, 20_000), direction: 'requests' } });
  },
  async (proxy, random) => {
    proxy.break({ how: 'cut', after: { bytes: () => random.between(1, 4_000), direction: 'answers' } });
  },
  async (proxy, random) => {
    proxy.reception = 'refuse';
    proxy.break({ how: 'cut' });
    await sleep(random.between(100, 1_500));
    proxy.reception = 'pass';
  },
];
