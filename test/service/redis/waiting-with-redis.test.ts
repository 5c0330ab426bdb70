import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ClaimAnswer } from '../../../ledger-service/src/domain/answers';
import { type Ledger } from '../../../ledger-service/src/store/ledger';
import { until } from '../../e2e/stack/until';
import { type RedisServer } from '../../faults/servers/redis-server';
import { sound, Story } from '../domain/story';
import { openLedger, type OpenLedger } from '../store/open-ledger';
import { testWithRedis } from './redis-for-tests';

// Replicas that cannot listen for PostgreSQL's notifications, as behind a pooler without a direct connection.

const NOWHERE = 'postgres://nobody@127.0.0.1:1/nothing';

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger({ directUrl: NOWHERE });
});
afterAll(() => open.close());

interface Replica {
  ledger: Ledger;
  /** Claims that were settled in batches so far: how often waiters looked again. */
  looks: () => number;
  warnings: string[];
}

async function replica(redis: RedisServer): Promise<Replica> {
  let looks = 0;
  const warnings: string[] = [];
  const ledger = open.another({
    directUrl: NOWHERE,
    redisUrl: redis.url,
    onBatch: (kind, size) => (looks += kind === 'claims' ? size : 0),
    log: { warn: (_facts, message) => warnings.push(message), info: () => undefined },
  });
  ledger.start();
  await isUp(ledger);
  return { ledger, looks: () => looks, warnings };
}

const isUp = (ledger: Ledger, up = true): Promise<unknown> =>
  until(() => ledger.wakeUps.redis === up, {
    what: `Redis to be ${up ? 'used' : 'given up'}`,
    everyMs: 10,
    timeoutMs: 40_000,
  });

async function wait(ledger: Ledger, story: Story, waitMs: number): Promise<{ answer: ClaimAnswer; ms: number }> {
  const began = performance.now();
  const [answer] = await ledger.claim(open.workspaceNo, { waitMs, claims: [story.key] });
  return { answer: sound(answer), ms: performance.now() - began };
}

const claimed = async (): Promise<Story> => {
  const story = new Story(open);
  await story.claim();
  return story;
};

const channel = async (): Promise<string> => `action_ledger:${await open.ledger.id()}`;

testWithRedis('a receipt in one replica wakes who waits in another, long before its clock would', async (redis) => {
  const [one, other] = [await replica(redis), await replica(redis)];
  const times: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const story = await claimed();
    const waiting = wait(one.ledger, story, 20_000);
    await sleep(100);
    const at = performance.now();
    await other.ledger.receipts(open.workspaceNo, [{ claimToken: story.current.claimToken, outcome: 'confirmed' }]);
    expect((await waiting).answer.decision).toBe('already_done');
    times.push(performance.now() - at);
  }
  // The clock looks once a second, and had looked a tenth of a second before.
  expect(Math.min(...times)).toBeLessThan(600);
});

testWithRedis('in the same replica nobody needs Redis', async (redis) => {
  const { ledger } = await replica(redis);
  await redis.kill();
  const story = await claimed();
  const looked = wait(ledger, story, 20_000);
  await sleep(100);
  await ledger.receipts(open.workspaceNo, [{ claimToken: story.current.claimToken, outcome: 'confirmed' }]);
  expect((await looked).answer.decision).toBe('already_done');
});

testWithRedis('Redis is killed: waiters are answered by the clock; it comes back, and is used again', async (redis) => {
  const { ledger, warnings } = await replica(redis);
  const story = await claimed();
  const waiting = wait(ledger, story, 20_000);
  await redis.kill();
  await isUp(ledger, false);
  await story.receipt('confirmed');
  expect((await waiting).answer.decision).toBe('already_done');
  await redis.start();
  await isUp(ledger);
  expect(warnings).toEqual([expect.stringContaining('it is tried again')]);
});

testWithRedis(
  'Redis hangs: it is given up, nothing waits for it, and what was to be told does not pile up',
  async (redis) => {
    const { ledger } = await replica(redis);
    redis.signal('SIGSTOP');
    const stories = await Promise.all(Array.from({ length: 20 }, claimed));
    const waiting = stories.map((story) => wait(ledger, story, 20_000));
    const began = performance.now();
    await ledger.receipts(
      open.workspaceNo,
      stories.map(({ current }) => ({ claimToken: current.claimToken, outcome: 'confirmed' as const })),
    );
    const answers = await Promise.all(waiting);
    expect(answers.every(({ answer }) => answer.decision === 'already_done')).toBe(true);
    // Redis would have been waited for for two seconds at least.
    expect(performance.now() - began).toBeLessThan(2_000);
    await isUp(ledger, false);
    redis.signal('SIGCONT');
    await isUp(ledger);
  },
);

testWithRedis('flushed, and its connections cut: nothing of ours was in it', async (redis) => {
  const { ledger } = await replica(redis);
  const client = redis.client();
  expect(await client.dbsize()).toBe(0);
  await client.flushall();
  await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  const story = await claimed();
  const waiting = wait(ledger, story, 20_000);
  await story.receipt('unknown');
  expect((await waiting).answer.decision).toBe('unknown');
  await isUp(ledger);
});

testWithRedis(
  'lies: what nobody may say changes no answer and costs no more than asking by the clock',
  async (redis) => {
    const { ledger, looks } = await replica(redis);
    const client = redis.client();
    const story = await claimed();
    const name = await channel();
    const id = story.id.slice(-17);
    const before = looks();
    const waiting = wait(ledger, story, 3_000);
    const lies = [
      `00000000 ${id}`,
      `00000000 ${id} ${id} ${id}`,
      `00000000 ffff-ffffffffffff`,
      id,
      '',
      ' ',
      'probe:00000000-0000-4000-8000-000000000000',
      '{"__proto__":{"polluted":true}}',
      'x'.repeat(60_000),
      `${id} `.repeat(3_000),
      randomBytes(5_000),
      '\0\r\n$-1\r\n*1\r\n',
    ];
    let told = 0;
    while (!(await Promise.race([waiting.then(() => true), sleep(1, false)]))) {
      await Promise.all(lies.map((lie) => client.publish(name, lie)));
      told += lies.length;
    }
    const { answer, ms } = await waiting;
    expect(answer).toMatchObject({ decision: 'in_progress' });
    expect(ms).toBeGreaterThanOrEqual(2_990);
    expect(told).toBeGreaterThan(100);
    // The first look, the first hint, a few in quick succession, and then five a second, as the clock asks without Redis.
    expect(looks() - before).toBeLessThan(30);
    await story.receipt('confirmed');
    expect((await wait(ledger, story, 1_000)).answer.decision).toBe('already_done');
  },
);

testWithRedis('huge messages and floods: Redis is left alone for a while, and waiters are answered', async (redis) => {
  const { ledger } = await replica(redis);
  const client = redis.client();
  const name = await channel();
  await client.publish(name, 'x'.repeat(10_000_000));
  await isUp(ledger, false);
  const story = await claimed();
  const waiting = wait(ledger, story, 20_000);
  await story.receipt('confirmed');
  expect((await waiting).answer.decision).toBe('already_done');
  await isUp(ledger);
  const flood = client.pipeline();
  for (let count = 0; count < 30_000; count++) flood.publish(name, 'lie');
  await flood.exec();
  await isUp(ledger, false);
  await isUp(ledger);
});

testWithRedis('other ledgers on the same Redis are not heard', async (redis) => {
  const { ledger, looks } = await replica(redis);
  const client = redis.client();
  const story = await claimed();
  const before = looks();
  const waiting = wait(ledger, story, 900);
  for (let count = 0; count < 50; count++) {
    await client.publish('action_ledger:another', `00000000 ${story.id.slice(-17)}`);
  }
  expect((await waiting).answer.decision).toBe('in_progress');
  // Once at first, and once at the end where there was time left.
  expect(looks() - before).toBeLessThanOrEqual(2);
});
