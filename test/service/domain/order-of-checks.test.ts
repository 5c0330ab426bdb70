import { randomUUID } from 'node:crypto';

import { ledgerForFile } from './ledger-for-file';
import { DETAILS } from './story';

const file = ledgerForFile();

const DAY_MS = 86_400_000;
const daysAgo = (days: number): { id: string; occurredAt: string } => ({
  id: randomUUID(),
  occurredAt: new Date(Date.now() - days * DAY_MS).toISOString(),
});

beforeAll(() => file.open.configure('dated', { replayWindowDays: 2 }));

test('the same call again comes before other details', async () => {
  const story = file.story();
  const first = await story.claim();
  const again = await story.ask({ details: { amount: 1 } }, { requestToken: story.current.requestToken });
  expect(again).toMatchObject({ decision: 'proceed', replayed: true, claimToken: first.claimToken });
});

test('the same call again comes before stale', async () => {
  const story = file.story();
  await story.claim({ subjectVersion: { value: 5 } });
  await story.ask({ subjectVersion: { value: 9 } });
  const { requestToken } = story.current;
  expect(await story.ask({ subjectVersion: { value: 5 } }, { requestToken })).toMatchObject({
    decision: 'proceed',
    replayed: true,
  });
});

test('after a release the same call is a new claim, and stale like any other', async () => {
  const story = file.story();
  const subjectVersion = { stream: 'order', value: 5 };
  await story.claim({ subjectVersion });
  await story.release();
  await file.open.ledger.claim(file.open.workspaceNo, {
    claims: [{ ...story.key, version: 2, subjectVersion: { stream: 'order', value: 9 } }],
  });
  const again = await story.ask({ subjectVersion }, { requestToken: story.current.requestToken });
  expect(again).toMatchObject({ decision: 'stale', replayed: false });
});

test('other details come before the row of the state, whatever the state', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('confirmed');
  expect((await story.ask({ details: { amount: 1 } })).decision).toBe('mismatch');
});

test('other details come before stale', async () => {
  const story = file.story();
  await story.claim({ subjectVersion: { value: 9 } });
  await story.release();
  const answer = await story.ask({ details: { amount: 1 }, subjectVersion: { value: 3 } });
  expect(answer).toMatchObject({ decision: 'mismatch', newer: null });
});

test.each([
  ['in_progress', undefined],
  ['already_done', 'confirmed'],
  ['unknown', 'unknown'],
] as const)('an older version is answered %s, not stale: nothing would proceed', async (decision, outcome) => {
  const story = file.story();
  await story.claim({ subjectVersion: { value: 9 } });
  if (outcome !== undefined) await story.receipt(outcome);
  expect(await story.ask({ subjectVersion: { value: 3 } })).toMatchObject({ decision, newer: null });
});

test('a failed action that may not be claimed again is failed, not stale', async () => {
  const story = file.story('charge-once');
  await story.claim({ subjectVersion: { value: 9 } });
  await story.receipt('failed');
  expect((await story.ask({ subjectVersion: { value: 3 } })).decision).toBe('failed');
});

test('a claimable failed action and a pending one are stale for an older version', async () => {
  const story = file.story();
  await story.claim({ subjectVersion: { value: 9 } });
  await story.receipt('failed');
  const before = await story.stored();
  expect(await story.ask({ subjectVersion: { value: 3 } })).toMatchObject({
    decision: 'stale',
    state: 'failed',
    claimToken: null,
    newer: { stream: 'reserve-seat', value: 9 },
  });
  expect(await story.stored()).toEqual(before);
  const pending = file.story();
  await pending.claim({ subjectVersion: { value: 9 } });
  await pending.release();
  expect((await pending.ask({ subjectVersion: { value: 8 } })).decision).toBe('stale');
});

test('a safe repeat for an older version is stale', async () => {
  const story = file.story('charge');
  await story.claim({ subjectVersion: { value: 9 } });
  await story.crash();
  const repeat = { details: DETAILS, holder: { ...story.holder('again'), sendsIdempotencyKey: true } };
  expect((await story.ask({ ...repeat, subjectVersion: { value: 3 } })).decision).toBe('stale');
  expect((await story.stored())?.state).toBe('unknown');
  expect(await story.ask({ ...repeat, subjectVersion: { value: 9 } })).toMatchObject({
    decision: 'proceed',
    repeat: true,
  });
});

test('stale comes before too old', async () => {
  const story = file.story('dated');
  await story.ask({ event: daysAgo(0), subjectVersion: { stream: 'order', value: 9 }, version: 2 });
  const late = await story.ask({ event: daysAgo(30), subjectVersion: { stream: 'order', value: 3 } });
  expect(late).toMatchObject({ decision: 'stale', newer: { stream: 'order', value: 9 } });
});

test('an existing action is answered by its state, however old the event', async () => {
  const story = file.story('dated');
  await story.claim({ event: daysAgo(0) });
  expect((await story.ask({ event: daysAgo(30) })).decision).toBe('in_progress');
  await story.receipt('confirmed');
  expect((await story.ask({ event: daysAgo(30) })).decision).toBe('already_done');
});

test('every claim but mismatch and too old moves the newest version forward', async () => {
  const story = file.story();
  await story.claim({ subjectVersion: { value: 1 } });
  expect((await story.ask({ subjectVersion: { value: 5 } })).decision).toBe('in_progress');
  await story.release();
  expect(await story.ask({ subjectVersion: { value: 4 } })).toMatchObject({ decision: 'stale', newer: { value: 5 } });
  expect((await story.ask({ details: { amount: 1 }, subjectVersion: { value: 99 } })).decision).toBe('mismatch');
  expect((await story.ask({ subjectVersion: { value: 5 } })).decision).toBe('proceed');

  const dated = file.story('dated');
  const old = await dated.ask({ event: daysAgo(30), subjectVersion: { value: 50 } });
  expect(old.decision).toBe('too_old');
  expect((await dated.ask({ event: daysAgo(0), subjectVersion: { value: 1 } })).decision).toBe('proceed');
});
