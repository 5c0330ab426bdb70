import { createServerFolder } from '../../setup/temp-folder';
import { REDIS_IS_MISSING, redisIsInstalled, RedisServer } from '../../faults/servers/redis-server';

/**
 * A test with a Redis of its own. On a machine without one the test says so and passes, so that the others can be run
 * anywhere; where everything should have been installed it fails.
 */
export function testWithRedis(name: string, run: (redis: RedisServer) => Promise<void>, timeoutMs = 60_000): void {
  if (redisIsInstalled()) {
    test(
      name,
      async () => {
        const redis = await RedisServer.start(createServerFolder());
        try {
          await run(redis);
        } finally {
          await redis.stop();
        }
      },
      timeoutMs,
    );
    return;
  }
  test(`NOT RUN, ${REDIS_IS_MISSING}: ${name}`, () => {
    if (process.env['CI'] !== undefined) throw new Error(`This test was not run: ${REDIS_IS_MISSING}`);
    console.warn(`Not run: "${name}", since ${REDIS_IS_MISSING}`);
  });
}
