import { setTimeout as sleep } from 'node:timers/promises';

import { redisFault } from '../servers/replicas-with-redis';

/** Redis is emptied, its clients are thrown out, it is told to answer nobody for a while or to take no new ones. */
export const redisFlushed = redisFault(
  { name: 'redis-flushed', title: 'Redis: flushed, clients thrown out, paused', injections: 50 },
  async ({ client }, { random }) => {
    const redis = client();
    try {
      for (let times = random.between(1, 4); times > 0; times--) {
        await sleep(random.between(0, 300));
        await redis.flushall();
        switch (random.pick(['throw out', 'pause', 'take none', 'nothing more'])) {
          case 'throw out':
            await redis.call('CLIENT', 'KILL', 'TYPE', random.pick(['pubsub', 'normal']), 'SKIPME', 'yes');
            break;
          case 'pause':
            await redis.call('CLIENT', 'PAUSE', String(random.between(50, 1_500)));
            break;
          case 'take none':
            await redis.config('SET', 'maxclients', '1');
            await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
            await sleep(random.between(0, 500));
            await redis.config('SET', 'maxclients', '1000');
            break;
        }
      }
    } finally {
      redis.disconnect();
    }
  },
);
