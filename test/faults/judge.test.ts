import { RunningService } from '../service/http/running-service';
import { Judge, type Verdict } from './judge';
import { Journal } from './load/journal';
import { OPERATION } from './load/settings';

// A judge who finds nothing is worth nothing unless he would have found it: each thing that must not be is made here.

let service: RunningService;
let judge: Judge;

beforeAll(async () => {
  service = await RunningService.start();
  judge = await Judge.open(service.databaseUrl);
  await service.put(`/v1/operations/${OPERATION}`, { owner: 'booking desk' });
});

afterAll(async () => {
  await judge.close();
  await service.stop();
});

let number = 0;

/** One action whose step went well, everything of it acknowledged. */
async function bookedOnce(): Promise<{ subject: string; effects: string[]; journal: Journal }> {
  const subject = `order-${++number}`;
  const effects = [`RSV-${subject}`];
  const journal = new Journal(() => effects);
  const claim = { subject, operation: OPERATION, event: { source: 'shop', id: `evt-${subject}` } };
  const { claimToken, attempt } = await service.claim(claim);
  journal.subjects.add(subject);
  journal.events.push({ subject, id: `evt-${subject}` });
  journal.grants.push({ subject, attempt, requestToken: 'first' });
  const receipt = { outcome: 'confirmed', reference: `RSV-${subject}` } as const;
  await service.receipt({ claimToken, ...receipt });
  journal.receipts.push({ subject, attempt, ...receipt });
  return { subject, effects, journal };
}

const nothing = { duplicates: 0, lostReceipts: 0, lostEvents: 0, unknownWithOwner: 0, wrong: [] };

const tamper = (subject: string, change: string): Promise<unknown> =>
  service.sql(`UPDATE action_ledger.actions SET ${change} WHERE subject = $1`, [subject]);

test('an action that was done once, and all of it kept: nothing to find', async () => {
  const { journal } = await bookedOnce();
  expect(await judge.judge(journal, true)).toEqual({ ...nothing, actions: 1 });
  expect(await judge.brokenChains()).toEqual([]);
  expect(await judge.inProgress()).toBe(0);
});

test.each<[string, (booked: Awaited<ReturnType<typeof bookedOnce>>) => unknown, Partial<Verdict> | RegExp]>([
  ['a second effect', ({ effects }) => effects.push('RSV-again'), { duplicates: 1 }],
  ['confirmed without an effect', ({ effects }) => effects.pop(), /is confirmed and never happened/],
  ['failed with an effect', ({ subject }) => tamper(subject, 'state = 4'), /is failed and happened/],
  ['left pending', ({ subject }) => tamper(subject, 'state = 1'), /is left in state 1/],
  [
    'an acknowledged receipt of which there is no mark',
    ({ subject }) => tamper(subject, `receipts = '[]'`),
    { lostReceipts: 1 },
  ],
  [
    'an acknowledged reference that is not there',
    ({ subject }) => tamper(subject, `effect_references = '{}'`),
    { lostReceipts: 1 },
  ],
  [
    'an acknowledged confirmation that did not decide',
    ({ subject }) => tamper(subject, 'state = 5'),
    { lostReceipts: 1 },
  ],
  [
    'unknown, and nobody looks after it',
    ({ subject }) => tamper(subject, 'state = 5'),
    /is unknown without owner or due time/,
  ],
  [
    'an acknowledged event that is not there',
    ({ subject, journal }) => journal.events.push({ subject, id: 'evt-gone' }),
    { lostEvents: 1 },
  ],
  [
    'an attempt that two calls were granted',
    ({ subject, journal }) => journal.grants.push({ subject, attempt: 1, requestToken: 'second' }),
    /attempt 1 was granted to two calls/,
  ],
  [
    'an effect that the ledger does not know of',
    ({ journal }) => journal.subjects.add('order-of-nobody'),
    /the ledger does not know it/,
  ],
  ['what surprised a caller', ({ journal }) => journal.surprises.push('answered 500'), /answered 500/],
])('finds %s', async (_what, change, found) => {
  const booked = await bookedOnce();
  await change(booked);
  const verdict = await judge.judge(booked.journal, true);
  if (found instanceof RegExp) expect(verdict.wrong.join('\n')).toMatch(found);
  else expect(verdict).toMatchObject(found);
});

test('finds an answer that no order of the calls explains', async () => {
  const { subject, journal } = await bookedOnce();
  const claim = { kind: 'claim', requestToken: 'other' } as const;
  await journal.calls.record(subject, 'load', claim, () =>
    Promise.resolve({ decision: 'already_done', state: 'confirmed', attempt: 1 }),
  );
  // Nobody ever claimed it by these calls, and yet it is done.
  expect((await judge.judge(journal, true)).wrong.join('\n')).toContain(`${subject}: No order of these`);
});

test('finds a history that leads elsewhere, has a gap, or was rewritten', async () => {
  const { subject: elsewhere } = await bookedOnce();
  await tamper(elsewhere, 'state = 5');
  const { subject: gap } = await bookedOnce();
  await tamper(gap, 'history_seq = 3');
  const { subject: rewritten } = await bookedOnce();
  await service.sql('ALTER TABLE action_ledger.history DISABLE TRIGGER history_is_append_only');
  await service.sql(
    `UPDATE action_ledger.history h SET attempt = 7 FROM action_ledger.actions a
     WHERE a.no = h.action_no AND a.subject = $1 AND h.seq = 1`,
    [rewritten],
  );
  expect((await judge.brokenChains()).sort()).toEqual(expect.arrayContaining([elsewhere, gap, rewritten]));
});

test('counts what is in progress, and an unknown action with its owner', async () => {
  const subject = 'order-that-waits';
  const journal = new Journal(() => []);
  journal.subjects.add(subject);
  const { claimToken } = await service.claim({ subject, operation: OPERATION });
  expect(await judge.inProgress()).toBe(1);
  expect((await judge.judge(journal, true)).wrong).toEqual([`${subject} is left in state 2`]);
  expect((await judge.judge(journal, false)).wrong).toEqual([]);
  await service.receipt({ claimToken, outcome: 'unknown' });
  expect(await judge.judge(journal, true)).toEqual({ ...nothing, actions: 1, unknownWithOwner: 1 });
});
