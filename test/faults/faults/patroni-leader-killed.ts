import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Fault } from '../fault';
import { API_KEY, LedgerService } from '../servers/ledger-service';
import { PatroniCluster } from '../servers/patroni-cluster';

/** Longer than any failover takes here: the leader's key must run out first, and the machine may be busy. */
const PATIENCE_MS = 240_000;

/** The leader of a Patroni cluster dies with everything on it, and comes back later as one that follows. */
export const patroniLeaderKilled: Fault = {
  name: 'patroni-leader-killed',
  title: 'Patroni: leader killed, of three members',
  injections: 20,
  needs: ['postgresql', 'patroni', 'etcd'],
  long: true,
  prepare: async (run) => {
    const cluster = await PatroniCluster.start(run);
    const services: LedgerService[] = [];
    for (let replica = 1; replica <= 2; replica++) {
      const service = await LedgerService.start({ databaseUrl: cluster.url, folder: run.folder });
      run.atEnd(() => service.stop());
      services.push(service);
    }
    const recoveries: number[] = [];
    return {
      urls: services.map(({ url }) => url),
      load: { patienceMs: PATIENCE_MS },
      get databaseUrl() {
        return cluster.leader.url;
      },
      inject: async ({ number }) => {
        const killed = cluster.leader;
        await killed.kill();
        const began = performance.now();
        await Promise.all(services.map(({ url }) => decides(url, number)));
        const tookMs = performance.now() - began;
        recoveries.push(tookMs);
        run.log(`  kill ${number}: decided again after ${seconds(tookMs)}`);
        await cluster.ledByAnother(killed);
        killed.start();
        await cluster.whole();
      },
      notes: () => [
        `decided again after ${seconds(median(recoveries))} (median), ${seconds(Math.max(...recoveries))} (longest)`,
      ],
    };
  },
};

/** Resolves when the service grants a new claim. */
async function decides(url: string, number: number): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (let asked = 1; performance.now() < end; asked++) {
    const response = await fetch(`${url}/v1/claims`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        requestToken: randomUUID(),
        claims: [{ subject: `kill-${number}-${asked}-${url}`, operation: 'probe', leaseSeconds: 5 }],
      }),
      signal: AbortSignal.timeout(5_000),
    }).catch(() => null);
    if (response?.status === 200) return;
    await sleep(100);
  }
  throw new Error(`${url} did not decide again within ${seconds(PATIENCE_MS)}`);
}

function median(of: readonly number[]): number {
  const sorted = [...of].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
