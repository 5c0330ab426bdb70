import { setTimeout as sleep } from 'node:timers/promises';

import { redisFault } from '../servers/replicas-with-redis';

/** Redis dies, or stands still, while claims wait to be woken through it. */
export const redisKilled = redisFault(
  { name: 'redis-killed', title: 'Redis: SIGKILL, SIGSTOP while claims wait', injections: 50 },
  async ({ redis }, { random }) => {
    await sleep(random.between(0, 800));
    if (random.percent(60)) {
      await redis.kill();
      await sleep(random.between(0, 800));
      await redis.start();
      return;
    }
    redis.signal('SIGSTOP');
    try {
      await sleep(random.between(100, 2_500));
    } finally {
      redis.signal('SIGCONT');
    }
  },
);
