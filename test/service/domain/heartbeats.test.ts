import { setTimeout as sleep } from 'node:timers/promises';

import { ledgerForFile } from './ledger-for-file';
import { type Story } from './story';

const file = ledgerForFile();

const leaseEnd = async (story: Story): Promise<number> => {
  const { rows } = await file.open.sql.query<{ due_at: Date }>(
    'SELECT due_at FROM action_ledger.open_actions WHERE id = $1',
    [story.id],
  );
  return rows[0]!.due_at.getTime();
};

test('moves the end of the lease to now and the claim’s own lease, and says so', async () => {
  const story = file.story();
  await story.claim({ leaseSeconds: 40 });
  const { rows } = await file.open.sql.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const answer = await story.heartbeat();
  expect(answer).toMatchObject({ result: 'extended', leaseMs: 40_000 });
  expect(Date.parse(answer.leaseExpiresAt!)).toBe(await leaseEnd(story));
  const ahead = (await leaseEnd(story)) - rows[0]!.now.getTime();
  expect(ahead).toBeGreaterThanOrEqual(40_000);
  expect(ahead).toBeLessThan(45_000);
});

test('keeps the claim’s lease when the policy’s is changed', async () => {
  await file.open.configure('patient', { leaseSeconds: 60 });
  const story = file.story('patient');
  await story.claim();
  await file.open.configure('patient', { leaseSeconds: 5 });
  expect(await story.heartbeat()).toMatchObject({ result: 'extended', leaseMs: 60_000 });
});

test('a lease that is held up by heartbeats outlives its length', async () => {
  const story = file.story();
  await story.claim({ leaseSeconds: 1 });
  for (let beat = 0; beat < 4; beat++) {
    await sleep(400);
    expect((await story.heartbeat()).result).toBe('extended');
  }
  expect((await story.ask()).decision).toBe('in_progress');
});

test('never makes the lease end earlier than before', async () => {
  const story = file.story();
  await story.claim();
  // As after a clock that stepped back: the lease ends later than now and its length.
  await file.open.sql.query(`UPDATE action_ledger.open_actions SET due_at = due_at + interval '1 hour' WHERE id = $1`, [
    story.id,
  ]);
  const before = await leaseEnd(story);
  expect(await story.heartbeat()).toMatchObject({ result: 'extended' });
  expect(await leaseEnd(story)).toBe(before);
});

test('does not carry a repeat past nine tenths of the destination’s window', async () => {
  await file.open.configure('charge-window', {
    safeRepeat: true,
    destinationIdempotency: 'key',
    destinationWindowSeconds: 100,
    leaseSeconds: 60,
  });
  const story = file.story('charge-window');
  await story.claim();
  await story.crash();
  await story.claim();
  // As 40 seconds later: 60 more lie beyond the window's end, which is 50 seconds away.
  const { rows } = await file.open.sql.query<{ ends: Date }>(
    `WITH later AS (UPDATE action_ledger.open_actions SET due_at = due_at - interval '40 seconds' WHERE id = $1)
     UPDATE action_ledger.actions SET key_claimed_at = key_claimed_at - interval '40 seconds' WHERE id = $1
     RETURNING key_claimed_at + interval '90 seconds' AS ends`,
    [story.id],
  );
  for (let beat = 0; beat < 2; beat++) {
    expect((await story.heartbeat()).result).toBe('extended');
    expect(Math.abs((await leaseEnd(story)) - rows[0]!.ends.getTime())).toBeLessThanOrEqual(1);
  }
});

test('a first attempt is not bounded by the window: nothing is repeated', async () => {
  await file.open.configure('charge-narrow', {
    safeRepeat: true,
    destinationIdempotency: 'key',
    destinationWindowSeconds: 10,
    leaseSeconds: 60,
  });
  const story = file.story('charge-narrow');
  await story.claim();
  const before = await leaseEnd(story);
  expect((await story.heartbeat()).result).toBe('extended');
  expect(await leaseEnd(story)).toBeGreaterThanOrEqual(before);
});

test('many at once, for one claim and for many', async () => {
  const stories = Array.from({ length: 50 }, () => file.story());
  await Promise.all(stories.map((story) => story.claim()));
  const beats = await Promise.all([...stories, ...stories, ...stories].map((story) => story.heartbeat()));
  expect(beats.every(({ result }) => result === 'extended')).toBe(true);
});
