import { readFileSync } from 'node:fs';
import path from 'node:path';

import { type Redis } from 'ioredis';

import { until } from '../../e2e/stack/until';
import { type Fault, type Injection, type Run } from '../fault';
import { WaitingCrowd } from '../waiting-crowd';
import { API_KEY, LedgerService } from './ledger-service';
import { PostgresServer } from './postgres-server';
import { RedisServer } from './redis-server';

/** Nothing listens there: replicas that cannot be notified by PostgreSQL, as behind a pooler. */
const NOWHERE = 'postgres://nobody@127.0.0.1:1/nothing';

/** More than a service under this load ever takes, and less than what one lie in a hundred that is kept would take. */
const MOST_MEMORY_MB = 300;

export interface ReplicasWithRedis {
  redis: RedisServer;
  crowd: WaitingCrowd;
  /** Where hints are published. */
  channel: () => Promise<string>;
  client: () => Redis;
}

type Break = (replicas: ReplicasWithRedis, injection: Injection, untilOver: Promise<unknown>) => Promise<void>;

/**
 * A fault of Redis: two replicas that are woken through it and by nothing else, the usual load on both, and a crowd of
 * claims that wait while Redis is broken.
 */
export function redisFault(fault: Pick<Fault, 'name' | 'title' | 'injections'>, breakRedis: Break): Fault {
  return {
    ...fault,
    needs: ['redis-server'],
    prepare: async (run) => {
      const { postgres, services, redis } = await start(run);
      const urls = services.map(({ url }) => url);
      const crowd = new WaitingCrowd(urls);
      let used = 0;
      let injections = 0;
      const replicas: ReplicasWithRedis = {
        redis,
        crowd,
        client: () => redis.client(),
        channel: async () => `action_ledger:${await ledgerId(urls[0] ?? '')}`,
      };
      return {
        urls,
        databaseUrl: postgres.url,
        // What waits is in the crowd; the load shows that claims which do not wait are not held up either.
        load: { actions: 200 },
        inject: async (injection) => {
          injections++;
          if (await inUse(urls)) used++;
          const waiting = crowd.wait(injection.random.fork());
          await Promise.all([waiting, breakRedis(replicas, injection, waiting)]);
          injection.load.journal.surprises.push(...(await waiting), ...services.flatMap(tooMuchMemory));
        },
        notes: () => [
          `Redis was in use at ${used} of ${injections} injections`,
          `${crowd.answered} waiting claims were answered, at most ${(crowd.longestMs / 1_000).toFixed(1)} s late`,
          `the services took at most ${Math.max(...services.map(mostMemoryMb))} MB`,
        ],
      };
    },
  };
}

async function start(run: Run): Promise<{ postgres: PostgresServer; services: LedgerService[]; redis: RedisServer }> {
  const { folder } = run;
  const postgres = await PostgresServer.start(path.join(folder, 'data'));
  run.atEnd(() => postgres.stop());
  const redis = await RedisServer.start(folder);
  run.atEnd(() => redis.stop());
  const services: LedgerService[] = [];
  for (let count = 0; count < 2; count++) {
    const service = await LedgerService.start({
      databaseUrl: postgres.url,
      directUrl: NOWHERE,
      folder,
      env: { REDIS_URL: redis.url },
    });
    run.atEnd(() => service.stop());
    services.push(service);
  }
  return { postgres, services, redis };
}

/** Gives them time to find Redis again: one that is broken already shows nothing. */
async function inUse(urls: readonly string[]): Promise<boolean> {
  try {
    await until(async () => (await Promise.all(urls.map(redisUp))).every(Boolean), {
      what: 'Redis to be used',
      timeoutMs: 15_000,
      everyMs: 50,
    });
    return true;
  } catch {
    return false;
  }
}

async function redisUp(url: string): Promise<boolean> {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) });
  return /^action_ledger_redis_up 1$/m.test(await response.text());
}

async function ledgerId(url: string): Promise<string> {
  const response = await fetch(`${url}/v1/whoami`, { headers: { authorization: `Bearer ${API_KEY}` } });
  return ((await response.json()) as { ledgerId: string }).ledgerId;
}

/** The most that the process ever had in memory, in megabytes. */
function mostMemoryMb({ pid }: LedgerService): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1_024);
}

function tooMuchMemory(service: LedgerService): string[] {
  const megabytes = mostMemoryMb(service);
  return megabytes > MOST_MEMORY_MB ? [`a service took ${megabytes} MB`] : [];
}
