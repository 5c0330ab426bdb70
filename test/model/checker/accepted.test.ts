import { checkHistory } from './check-history';
import { type Call, type Rules } from './history';
import {
  claim,
  done,
  heartbeat,
  held,
  LEASE,
  proceed,
  read,
  receipt,
  recorded,
  release,
  released,
  releaseOfCall,
  resolve,
  shown,
  unsure,
} from './written-history';

/** A history that must be accepted, and one next to it that must not: it is not accepted because everything is. */
interface Accepted {
  name: string;
  history: Call[];
  not: Call[];
  rules?: Partial<Rules>;
}

const granted = claim([0, 10], 'a', proceed(1, 1, 5));
const confirmed = receipt([20, 30], 1, 'confirmed', recorded('confirmed', 1, 2));
const failed = receipt([20, 30], 1, 'failed', recorded('failed', 1, 2));
const lapsed = claim([11_000, 11_010], 'b', unsure(1, 2));
const lateRecorded = (seq: number) => recorded('confirmed', 1, seq, { late: true });
const SAFE: Partial<Rules> = { safeRepeat: { windowMs: 3_600_000 } };
const KEYED = { details: 'seat 4', sendsIdempotencyKey: true };

const HISTORIES: Accepted[] = [
  {
    name: 'a claim whose answer was lost took effect: everybody else is told in_progress',
    history: [claim([0, 10], 'a', 'maybe'), claim([20, 30], 'b', held(1, 1, 5 + LEASE))],
    not: [claim([20, 30], 'b', held(1, 1, 5 + LEASE))],
  },
  {
    name: 'a claim whose answer was lost never took effect',
    history: [claim([0, 10], 'a', 'maybe'), claim([20, 30], 'b', proceed(1, 1, 25))],
    not: [claim([0, 10], 'a', proceed(1, 1, 5)), claim([20, 30], 'b', proceed(1, 1, 25))],
  },
  {
    name: 'a claim whose answer was lost takes effect after later calls',
    history: [
      claim([0, 10], 'a', 'maybe'),
      claim([20, 30], 'b', proceed(1, 1, 25)),
      release([40, 50], 1, released('pending', 1, 2)),
      claim([60, 70], 'c', held(2, 3, 55 + LEASE)),
    ],
    not: [
      claim([0, 10], 'a', 'maybe'),
      claim([20, 30], 'b', proceed(1, 1, 25)),
      release([40, 50], 1, released('pending', 1, 2)),
      claim([60, 70], 'c', held(2, 3, 55 + LEASE)),
      claim([80, 90], 'd', proceed(2, 3, 85)),
    ],
  },
  {
    name: 'the same call again is given the answer that was lost',
    history: [claim([0, 10], 'a', 'maybe'), claim([20, 30], 'a', proceed(1, 1, 5, { replayed: true }))],
    not: [claim([0, 10], 'a', 'maybe'), claim([20, 30], 'a', proceed(2, 2, 25))],
  },
  {
    name: 'the same call again, after its first try never arrived, is a first claim',
    history: [claim([0, 10], 'a', 'maybe'), claim([20, 30], 'a', proceed(1, 1, 25))],
    not: [claim([0, 10], 'a', proceed(1, 1, 5)), claim([20, 30], 'a', proceed(1, 1, 25))],
  },
  {
    name: 'a receipt whose answer was lost counts: the repetition is called a replay',
    history: [
      granted,
      receipt([20, 30], 1, 'confirmed', 'maybe'),
      receipt([40, 50], 1, 'confirmed', recorded('confirmed', 1, 2, { replayed: true })),
    ],
    not: [
      granted,
      receipt([40, 50], 1, 'confirmed', recorded('confirmed', 1, 2, { replayed: true }), 'RSV-1'),
      receipt([60, 70], 1, 'confirmed', recorded('confirmed', 1, 3)),
    ],
  },
  {
    name: 'a receipt whose answer was lost takes effect between two reads',
    history: [
      granted,
      receipt([20, 30], 1, 'confirmed', 'maybe'),
      read([40, 50], shown('in_progress', 1, 1)),
      read([60, 70], shown('confirmed', 1, 2)),
    ],
    not: [
      granted,
      receipt([20, 30], 1, 'confirmed', 'maybe'),
      read([40, 50], shown('confirmed', 1, 2)),
      read([60, 70], shown('in_progress', 1, 1)),
    ],
  },
  {
    name: 'overlapping claims: the one answered last came first',
    history: [
      claim([0, 100], 'a', proceed(1, 1, 10)),
      claim([20, 40], 'b', held(1, 1, 10 + LEASE)),
      claim([30, 50], 'c', held(1, 1, 10 + LEASE)),
    ],
    not: [
      claim([45, 100], 'a', proceed(1, 1, 50)),
      claim([20, 40], 'b', held(1, 1, 50 + LEASE)),
      claim([30, 50], 'c', held(1, 1, 50 + LEASE)),
    ],
  },
  {
    name: 'a read that overlaps a claim shows either side of it',
    history: [
      read([0, 60], { state: 'none' }),
      claim([5, 50], 'a', proceed(1, 1, 20)),
      read([6, 58], shown('in_progress', 1, 1)),
    ],
    not: [
      read([51, 60], { state: 'none' }),
      claim([5, 50], 'a', proceed(1, 1, 20)),
      read([6, 58], shown('in_progress', 1, 1)),
    ],
  },
  {
    name: "a zombie's late receipt confirms what had become unknown",
    history: [
      granted,
      lapsed,
      receipt([20_000, 20_010], 1, 'confirmed', lateRecorded(3)),
      claim([21_000, 21_010], 'c', done(1, 3)),
    ],
    not: [
      granted,
      lapsed,
      receipt([20_000, 20_010], 1, 'confirmed', lateRecorded(2)),
      claim([21_000, 21_010], 'c', done(1, 2)),
    ],
  },
  {
    name: "a zombie's receipt while a newer attempt is under way: the newer one's failure leads to confirmed",
    history: [
      granted,
      release([20, 30], 1, released('pending', 1, 2)),
      claim([40, 50], 'b', proceed(2, 3, 45)),
      receipt([60, 70], 1, 'confirmed', recorded('in_progress', 2, 4, { late: true, contradiction: 'older' })),
      receipt([80, 90], 2, 'failed', recorded('confirmed', 2, 5)),
      claim([95, 99], 'c', done(2, 5, 1)),
    ],
    not: [
      granted,
      release([20, 30], 1, released('pending', 1, 2)),
      claim([40, 50], 'b', proceed(2, 3, 45)),
      receipt([60, 70], 1, 'confirmed', recorded('in_progress', 2, 4, { late: true, contradiction: 'older' })),
      receipt([80, 90], 2, 'failed', recorded('failed', 2, 5)),
    ],
  },
  {
    name: 'a lease ends unseen: a read shows in progress after its end, then a sweep has ended it',
    history: [
      granted,
      read([11_000, 11_010], shown('in_progress', 1, 1)),
      read([12_000, 12_010], shown('unknown', 1, 2)),
    ],
    not: [granted, read([5_000, 5_010], shown('unknown', 1, 2)), read([12_000, 12_010], shown('unknown', 1, 2))],
  },
  {
    name: 'a receipt after the lease that no sweep has noticed is late, and decides',
    history: [granted, receipt([11_000, 11_010], 1, 'confirmed', lateRecorded(2))],
    not: [granted, receipt([9_000, 9_010], 1, 'confirmed', lateRecorded(2))],
  },
  {
    name: 'a heartbeat whose answer was lost has extended the lease',
    history: [granted, heartbeat([9_000, 9_010], 1, 'maybe'), claim([15_000, 15_010], 'b', held(1, 1, 9_003 + LEASE))],
    not: [granted, claim([15_000, 15_010], 'b', held(1, 1, 9_003 + LEASE))],
  },
  {
    name: 'a lost failed receipt takes effect only after a claim was still told in_progress',
    history: [
      granted,
      receipt([20, 30], 1, 'failed', 'maybe'),
      claim([40, 50], 'b', held(1, 1, 5 + LEASE)),
      claim([60, 70], 'c', proceed(2, 3, 65, { idempotencyKey: 'key-2' })),
    ],
    not: [granted, failed, claim([40, 50], 'b', held(1, 1, 5 + LEASE)), claim([60, 70], 'c', proceed(2, 3, 65))],
  },
  {
    name: 'a claim whose answer was lost is released by its call',
    history: [
      claim([0, 10], 'a', 'maybe'),
      releaseOfCall([20, 30], 'a', released('pending', 1, 2)),
      claim([40, 50], 'b', proceed(2, 3, 45)),
    ],
    not: [
      claim([0, 10], 'a', 'maybe'),
      releaseOfCall([20, 30], 'b', released('pending', 1, 2)),
      claim([40, 50], 'b', proceed(2, 3, 45)),
    ],
  },
  {
    name: 'the service lost its own first answer: its second look finds the lease over',
    history: [claim([0, 12_000], 'a', unsure(1, 2))],
    not: [claim([0, 9_000], 'a', unsure(1, 2))],
  },
  {
    name: 'the service lost its own first answer: the first claim is called a replay',
    history: [claim([0, 10], 'a', proceed(1, 1, 5, { replayed: true }))],
    not: [claim([0, 10], 'a', proceed(2, 1, 5, { replayed: true }))],
  },
  {
    name: 'a reconciliation that nothing happened, and the next attempt under the same key',
    history: [
      granted,
      lapsed,
      resolve([11_500, 11_510], [1, 2], 'not_happened', {
        result: 'resolved',
        state: 'failed',
        attempt: 1,
        historySeq: 3,
      }),
      claim([12_000, 12_010], 'c', proceed(2, 4, 12_005)),
    ],
    not: [
      granted,
      lapsed,
      resolve([11_500, 11_510], [1, 1], 'not_happened', {
        result: 'resolved',
        state: 'failed',
        attempt: 1,
        historySeq: 3,
      }),
      claim([12_000, 12_010], 'c', proceed(2, 4, 12_005)),
    ],
  },
  {
    name: 'a safe repeat of what is unknown, under the same key',
    history: [
      claim([0, 10], 'a', proceed(1, 1, 5), KEYED),
      claim([11_000, 11_010], 'b', proceed(2, 3, 11_005, { repeat: true }), KEYED),
    ],
    not: [
      claim([0, 10], 'a', proceed(1, 1, 5), KEYED),
      claim([11_000, 11_010], 'b', proceed(2, 3, 11_005, { repeat: true, idempotencyKey: 'key-2' }), KEYED),
    ],
    rules: SAFE,
  },
  {
    name: 'no repeat for a holder that does not send the key',
    history: [claim([0, 10], 'a', proceed(1, 1, 5), KEYED), claim([11_000, 11_010], 'b', unsure(1, 2))],
    not: [
      claim([0, 10], 'a', proceed(1, 1, 5), KEYED),
      claim([11_000, 11_010], 'b', proceed(2, 3, 11_005, { repeat: true })),
    ],
    rules: SAFE,
  },
];

test.each(HISTORIES)('accepted: $name', ({ history, not, rules }) => {
  expect(checkHistory(history, rules)).toEqual({ ok: true });
  // The order in which they were written down says nothing.
  expect(checkHistory([...history].reverse(), rules)).toEqual({ ok: true });
  expect(checkHistory(not, rules)).toMatchObject({ ok: false });
});

test('what only a second carrying out explains is refused where nothing is carried out twice', () => {
  const history = [claim([0, 12_000], 'a', unsure(1, 2))];
  expect(checkHistory(history, { decidedAgain: false })).toMatchObject({ ok: false });
  expect(checkHistory(history, { decidedAgain: true })).toEqual({ ok: true });
});

test('clocks that are far apart are allowed for only as far as the rules say', () => {
  const history = [confirmed, granted, claim([9_500, 9_510], 'b', done(1, 2))];
  expect(checkHistory(history)).toEqual({ ok: true });
  const early = [granted, claim([9_500, 9_510], 'b', unsure(1, 2))];
  expect(checkHistory(early)).toMatchObject({ ok: false });
  expect(checkHistory(early, { clockToleranceMs: 1_000 })).toEqual({ ok: true });
});
