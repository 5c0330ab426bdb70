import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Redis } from 'ioredis';

import { type Random } from '../random';
import { redisFault } from '../servers/replicas-with-redis';
import { type WaitingCrowd } from '../waiting-crowd';

/** What somebody else publishes where the replicas tell each other of changes. */
type Lie = (random: Random, crowd: WaitingCrowd) => string | Buffer;

const shortIds = (crowd: WaitingCrowd): string[] => [...crowd.actionIds].map((id) => id.slice(-17));

const LIES: readonly Lie[] = [
  // Changes of the very actions that are waited for, which did not happen.
  (_random, crowd) => `00000000 ${shortIds(crowd).join(' ')}`,
  (random, crowd) =>
    Array.from({ length: random.between(1, 50) }, () => `00000000 ${shortIds(crowd).join(' ')}`).join(' '),
  // Of actions that nobody waits for, or that there are not.
  (random) => `00000000 ${Array.from({ length: random.between(1, 700) }, () => randomUUID().slice(-17)).join(' ')}`,
  // Garbage, also such as a parser could stumble over.
  (random) => randomBytes(random.between(1, 10_000)),
  (random) =>
    random.pick(['', ' ', '\0', '\r\n', '*3\r\n$-1\r\n', '-ERR\r\n', 'probe:', `probe:${randomUUID()}`, '{"a":', '💥']),
  (random) => 'x'.repeat(random.between(1_000, 20_000)),
];

/** Redis is filled with lies, a few of them huge or by the ten thousand, while claims wait. */
export const redisLies = redisFault(
  { name: 'redis-lies', title: 'Redis: filled with lies, some huge, some in floods', injections: 50 },
  async ({ client, channel, crowd }, { random }, untilOver) => {
    const redis = client();
    const name = await channel();
    let over = false;
    void untilOver.catch(() => undefined).finally(() => (over = true));
    try {
      await redis.set('action_ledger', randomBytes(1_000));
      if (random.percent(20)) await overdo(redis, name, random);
      while (!over) {
        const pipeline = redis.pipeline();
        for (let count = random.between(1, 10); count > 0; count--)
          pipeline.publish(name, random.pick(LIES)(random, crowd));
        await pipeline.exec();
        // Not so fast that it is the flood, which is made on purpose now and then.
        await sleep(random.between(10, 40));
      }
    } finally {
      redis.disconnect();
    }
  },
);

/** More than anybody should have to read. */
async function overdo(redis: Redis, name: string, random: Random): Promise<void> {
  if (random.percent(50)) {
    await redis.publish(name, randomBytes(random.between(100_000, 20_000_000)));
    return;
  }
  const pipeline = redis.pipeline();
  for (let count = 0; count < 25_000; count++) pipeline.publish(name, 'lie');
  await pipeline.exec();
}
