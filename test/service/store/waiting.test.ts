import { setTimeout as sleep } from 'node:timers/promises';

import { type ClaimAnswer } from '../../../ledger-service/src/domain/answers';
import { Ledger } from '../../../ledger-service/src/store/ledger';
import { sound, Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

let open: OpenLedger;
/** Listens; the actions are claimed and ended through `open.ledger`, which does not. */
let listening: Ledger;

beforeAll(async () => {
  open = await openLedger();
  listening = open.another();
  listening.start();
  await listens(listening);
});
afterAll(() => open.close());

/** Until notifications are known to arrive. Before that, waiters ask by the clock. */
async function listens(ledger: Ledger, yes = true): Promise<void> {
  for (let tries = 0; tries < 800; tries++) {
    if (ledger.wakeUps.listening === yes) return;
    await sleep(25);
  }
  throw new Error(`It ${yes ? 'does not listen' : 'still listens'}`);
}

interface Waited {
  answer: ClaimAnswer;
  ms: number;
}

async function wait(
  story: Story,
  {
    ledger = listening,
    waitMs = 10_000,
    ...claim
  }: { ledger?: Ledger; waitMs?: number; holder?: object; requestToken?: string } = {},
): Promise<Waited> {
  const { requestToken, ...rest } = claim;
  const began = performance.now();
  const [answer] = await ledger.claim(open.workspaceNo, {
    waitMs,
    ...(requestToken === undefined ? {} : { requestToken }),
    claims: [{ ...story.key, ...(rest as { holder?: never }) }],
  });
  return { answer: sound(answer), ms: performance.now() - began };
}

const claimed = async (leaseSeconds = 300): Promise<Story> => {
  const story = new Story(open);
  await story.claim({ leaseSeconds });
  return story;
};

/** Begins to wait, lets it settle in, and answers what ends it and when. */
async function endedBy(story: Story, end: () => Promise<unknown>, ledger = listening): Promise<Waited> {
  const waiting = wait(story, { ledger });
  await sleep(300);
  const at = performance.now();
  await end();
  const { answer } = await waiting;
  return { answer, ms: performance.now() - at };
}

test.concurrent('a receipt through another ledger wakes it with the outcome', async () => {
  const story = await claimed();
  const { answer, ms } = await endedBy(story, () => story.receipt('confirmed', { reference: 'RSV-1' }));
  expect(answer).toMatchObject({ decision: 'already_done', receipt: { reference: 'RSV-1' } });
  // Woken, not found by looking again every 200 ms, which this ledger does not do while it listens.
  expect(ms).toBeLessThan(1_500);
});

test.concurrent('an unknown outcome wakes it too', async () => {
  const story = await claimed();
  const { answer } = await endedBy(story, () => story.receipt('unknown'));
  expect(answer).toMatchObject({ decision: 'unknown' });
});

test.concurrent(
  'when the holder failed or released, one of those who wait proceeds and the others wait on',
  async () => {
    const story = await claimed();
    const waiting = [1, 2, 3, 4].map(() => wait(story, { waitMs: 1_500 }));
    await sleep(300);
    await story.release();
    const answers = (await Promise.all(waiting)).map(({ answer, ms }) => ({ decision: answer.decision, ms }));
    expect(answers.filter(({ decision }) => decision === 'proceed')).toHaveLength(1);
    const others = answers.filter(({ decision }) => decision === 'in_progress');
    expect(others).toHaveLength(3);
    expect(others.every(({ ms }) => ms >= 1_400)).toBe(true);
  },
);

test.concurrent('the end of the lease is noticed without anybody telling', async () => {
  const story = await claimed(1);
  const { answer, ms } = await wait(story);
  expect(answer).toMatchObject({ decision: 'unknown', unknown: { cause: 'lease_expired' } });
  expect(ms).toBeLessThan(5_000);
});

test.concurrent('nothing happens: it is in progress when the time is over, and not earlier', async () => {
  const story = await claimed();
  const { answer, ms } = await wait(story, { waitMs: 700 });
  expect(answer.decision).toBe('in_progress');
  expect(ms).toBeGreaterThanOrEqual(690);
  expect(ms).toBeLessThan(3_000);
});

test.concurrent('an answer that is not in progress does not wait', async () => {
  const story = new Story(open);
  expect((await wait(story)).answer.decision).toBe('proceed');
  await story.ask();
  const { ms } = await wait(new Story(open));
  expect(ms).toBeLessThan(3_000);
});

test.concurrent('a call in which anything was granted is answered at once', async () => {
  const story = await claimed();
  const began = performance.now();
  const answers = await listening.claim(open.workspaceNo, {
    waitMs: 10_000,
    claims: [story.key, new Story(open).key],
  });
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(answers.map((answer) => sound(answer).decision)).toEqual(['in_progress', 'proceed']);
});

test.concurrent('the same call does not wait for itself, nor for its own other claims', async () => {
  const story = await claimed();
  const again = await wait(story, { requestToken: story.current.requestToken });
  expect(again.answer).toMatchObject({ decision: 'proceed', replayed: true });
  const key = new Story(open).key;
  const began = performance.now();
  const answers = await listening.claim(open.workspaceNo, { waitMs: 10_000, claims: [key, key] });
  expect(answers.map((answer) => sound(answer).decision)).toEqual(['proceed', 'in_progress']);
  expect(performance.now() - began).toBeLessThan(3_000);
});

test.concurrent('the same execution does not wait for itself', async () => {
  const story = await claimed();
  const { answer, ms } = await wait(story, { holder: story.holder(story.current.executionId) });
  expect(answer.decision).toBe('in_progress');
  expect(ms).toBeLessThan(3_000);
});

test.concurrent('several that wait in one call: it ends when none is worth waiting for', async () => {
  const [one, other] = await Promise.all([claimed(), claimed()]);
  const began = performance.now();
  const waiting = listening.claim(open.workspaceNo, { waitMs: 10_000, claims: [one.key, other.key] });
  await sleep(200);
  await one.receipt('confirmed');
  await sleep(300);
  await other.receipt('unknown');
  expect((await waiting).map((answer) => sound(answer).decision)).toEqual(['already_done', 'unknown']);
  expect(performance.now() - began).toBeLessThan(5_000);
});

test.concurrent('without LISTEN it looks again by itself', async () => {
  const story = await claimed();
  const { answer, ms } = await endedBy(story, () => story.receipt('confirmed'), open.ledger);
  expect(answer.decision).toBe('already_done');
  expect(ms).toBeLessThan(2_000);
});

test.concurrent('a caller who goes away ends the waiting', async () => {
  const story = await claimed();
  const gone = new AbortController();
  const began = performance.now();
  const waiting = listening.claim(open.workspaceNo, { waitMs: 10_000, signal: gone.signal, claims: [story.key] });
  setTimeout(() => gone.abort(), 200);
  expect((await waiting).map((answer) => sound(answer).decision)).toEqual(['in_progress']);
  expect(performance.now() - began).toBeLessThan(3_000);
});

test('a connection for LISTEN that is lost: waiters are served meanwhile, and it comes back', async () => {
  const story = await claimed();
  const waiting = wait(story);
  await sleep(200);
  await open.sql.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN %'`,
  );
  await listens(listening, false);
  await story.receipt('confirmed');
  const { answer, ms } = await waiting;
  expect(answer.decision).toBe('already_done');
  expect(ms).toBeLessThan(5_000);
  await listens(listening);
});

test('a hundred that wait take no connections while they do', async () => {
  const ledger = open.another();
  ledger.start();
  await listens(ledger);
  const story = await claimed();
  const waiting = Array.from({ length: 100 }, () => wait(story, { ledger }));
  await sleep(400);
  expect(ledger.database.connections.waiting).toBe(0);
  expect(ledger.database.connections.total - ledger.database.connections.idle).toBe(0);
  await story.receipt('confirmed');
  const answers = await Promise.all(waiting);
  expect(answers.every(({ answer }) => answer.decision === 'already_done')).toBe(true);
});
