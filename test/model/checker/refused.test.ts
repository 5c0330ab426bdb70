import { checkHistory } from './check-history';
import { type Call } from './history';
import {
  claim,
  done,
  extended,
  failedForGood,
  heartbeat,
  held,
  LEASE,
  proceed,
  read,
  receipt,
  recorded,
  release,
  released,
  resolve,
  shown,
  token,
  unsure,
} from './written-history';

/** A history that must be refused, and what it would be with one thing set right: so it is this thing that is refused. */
interface Refused {
  name: string;
  /** What the refusal must say. */
  says: RegExp;
  wrong: Call[];
  right: Call[];
}

const granted = claim([0, 10], 'a', proceed(1, 1, 5));
const confirmed = receipt([20, 30], 1, 'confirmed', recorded('confirmed', 1, 2));
const failed = receipt([20, 30], 1, 'failed', recorded('failed', 1, 2));
const lapsed = claim([11_000, 11_010], 'b', unsure(1, 2));

const HISTORIES: Refused[] = [
  {
    name: 'two callers proceed with one attempt',
    says: /would be in_progress/,
    wrong: [granted, claim([2, 12], 'b', proceed(1, 1, 6))],
    right: [granted, claim([2, 12], 'b', held(1, 1, 5 + LEASE))],
  },
  {
    name: 'two callers proceed at the same time, with attempts of their own',
    says: /would be in_progress/,
    wrong: [granted, claim([2, 12], 'b', proceed(2, 2, 6))],
    right: [granted, claim([2, 12], 'b', held(1, 1, 5 + LEASE))],
  },
  {
    name: 'a claim proceeds after an acknowledged confirmed receipt',
    says: /would be already_done/,
    wrong: [granted, confirmed, claim([40, 50], 'b', proceed(2, 3, 45))],
    right: [granted, confirmed, claim([40, 50], 'b', done(1, 2))],
  },
  {
    name: 'an acknowledged confirmed receipt is lost: a later read shows the action in progress',
    says: /would be confirmed/,
    wrong: [granted, confirmed, read([40, 50], shown('in_progress', 1, 1))],
    right: [granted, confirmed, read([20, 50], shown('in_progress', 1, 1))],
  },
  {
    name: 'an acknowledged confirmed receipt is lost: after the lease the action is unknown',
    says: /would be already_done/,
    wrong: [granted, confirmed, claim([11_000, 11_010], 'b', unsure(1, 3))],
    right: [granted, confirmed, claim([11_000, 11_010], 'b', done(1, 2))],
  },
  {
    name: 'an acknowledged failed receipt is lost: others are told that the holder is at it',
    says: /would be proceed/,
    wrong: [granted, failed, claim([40, 50], 'b', held(1, 1, 5 + LEASE))],
    right: [granted, failed, claim([40, 50], 'b', proceed(2, 3, 45, { idempotencyKey: 'key-2' }))],
  },
  {
    name: 'confirmed by nobody after the only attempt has failed',
    says: /would be proceed/,
    wrong: [granted, failed, claim([40, 50], 'b', done(1, 3))],
    right: [granted, failed, receipt([32, 38], 1, 'confirmed', 'maybe'), claim([40, 50], 'b', done(1, 3))],
  },
  {
    name: 'already done before any confirmed receipt was sent',
    says: /would be in_progress/,
    wrong: [granted, claim([12, 18], 'b', done(1, 2)), confirmed],
    right: [granted, claim([12, 25], 'b', done(1, 2)), confirmed],
  },
  {
    name: 'an attempt number is given twice',
    says: /attempt would be 2/,
    wrong: [granted, failed, claim([40, 50], 'b', proceed(1, 3, 45, { claimToken: 'another' }))],
    right: [granted, failed, claim([40, 50], 'b', proceed(2, 3, 45, { idempotencyKey: 'key-2' }))],
  },
  {
    name: 'an attempt number is left out',
    says: /attempt would be 1/,
    wrong: [claim([0, 10], 'a', proceed(2, 1, 5))],
    right: [granted],
  },
  {
    name: 'the history number falls between two reads',
    says: /historySeq would be 2/,
    wrong: [granted, confirmed, read([40, 50], shown('confirmed', 1, 2)), read([60, 70], shown('confirmed', 1, 1))],
    right: [granted, confirmed, read([40, 50], shown('confirmed', 1, 2)), read([60, 70], shown('confirmed', 1, 2))],
  },
  {
    name: 'the history has a row that nobody asked for',
    says: /historySeq would be 2/,
    wrong: [granted, confirmed, read([40, 50], shown('confirmed', 1, 3))],
    right: [granted, confirmed, read([40, 50], shown('confirmed', 1, 2))],
  },
  {
    name: 'a state goes back: two reads one after the other, with the receipt still under way',
    says: /would be confirmed/,
    wrong: [
      granted,
      receipt([20, 90], 1, 'confirmed', recorded('confirmed', 1, 2)),
      read([30, 40], shown('confirmed', 1, 2)),
      read([50, 60], shown('in_progress', 1, 1)),
    ],
    right: [
      granted,
      receipt([20, 90], 1, 'confirmed', recorded('confirmed', 1, 2)),
      read([30, 40], shown('in_progress', 1, 1)),
      read([50, 60], shown('confirmed', 1, 2)),
    ],
  },
  {
    name: 'a stale read after an acknowledged claim',
    says: /would be in_progress/,
    wrong: [granted, read([12, 20], { state: 'none' })],
    right: [granted, read([5, 20], { state: 'none' })],
  },
  {
    name: 'a lease is taken over before its end',
    says: /would be in_progress/,
    wrong: [granted, claim([5_000, 5_010], 'b', unsure(1, 2))],
    right: [granted, claim([11_000, 11_010], 'b', unsure(1, 2))],
  },
  {
    name: 'a lease ends although a heartbeat had extended it',
    says: /would be in_progress/,
    wrong: [granted, heartbeat([9_000, 9_010], 1, extended(1, 1, 9_005)), lapsed],
    right: [granted, heartbeat([9_000, 9_010], 1, 'maybe'), lapsed],
  },
  {
    name: 'a heartbeat is acknowledged after the lease',
    says: /would be lost/,
    wrong: [granted, heartbeat([11_000, 11_010], 1, extended(1, 1, 11_005))],
    right: [granted, heartbeat([9_000, 9_010], 1, extended(1, 1, 9_005))],
  },
  {
    name: 'a heartbeat shortens the lease',
    says: /the lease would end/,
    wrong: [granted, heartbeat([9_000, 9_010], 1, extended(1, 1, -1_000))],
    right: [granted, heartbeat([9_000, 9_010], 1, extended(1, 1, 9_005))],
  },
  {
    name: 'a lease is born expired',
    says: /the lease would end/,
    wrong: [claim([20_000, 20_010], 'a', proceed(1, 1, 5))],
    right: [claim([20_000, 20_010], 'a', proceed(1, 1, 20_005))],
  },
  {
    name: 'a holder is at it although its lease is long over',
    says: /nothing of this kind|would be unknown/,
    wrong: [granted, claim([11_000, 11_010], 'b', held(1, 1, 5 + LEASE))],
    right: [granted, claim([9_000, 9_010], 'b', held(1, 1, 5 + LEASE))],
  },
  {
    name: 'the same call is answered with another claim token',
    says: /another claim token/,
    wrong: [granted, claim([12, 20], 'a', proceed(1, 1, 5, { replayed: true, claimToken: 'another' }))],
    right: [granted, claim([12, 20], 'a', proceed(1, 1, 5, { replayed: true }))],
  },
  {
    name: 'the same call is told that another holder is at it',
    says: /would be proceed/,
    wrong: [granted, claim([12, 20], 'a', held(1, 1, 5 + LEASE))],
    right: [granted, claim([12, 20], 'c', held(1, 1, 5 + LEASE))],
  },
  {
    name: "another call is given the holder's answer as its own",
    says: /would be in_progress/,
    wrong: [granted, claim([12, 20], 'b', proceed(1, 1, 5, { replayed: true }))],
    right: [granted, claim([12, 20], 'a', proceed(1, 1, 5, { replayed: true }))],
  },
  {
    name: 'what is unknown is claimed again without a reconciliation',
    says: /would be unknown/,
    wrong: [granted, lapsed, claim([12_000, 12_010], 'c', proceed(2, 3, 12_005))],
    right: [
      granted,
      lapsed,
      resolve([11_500, 11_510], [1, 2], 'not_happened', { result: 'resolved', state: 'failed', historySeq: 3 }),
      claim([12_000, 12_010], 'c', proceed(2, 4, 12_005)),
    ],
  },
  {
    name: 'a resolution that began before the action moved on is carried out',
    says: /refused: stale_resolution/,
    wrong: [granted, confirmed, resolve([40, 50], [1, 1], 'not_happened', { result: 'resolved', state: 'failed' })],
    right: [granted, confirmed, resolve([40, 50], [1, 1], 'not_happened', { refused: 'stale_resolution' })],
  },
  {
    name: 'after a reconciliation the next attempt has a new idempotency key',
    says: /idempotency key would be the same/,
    wrong: [
      granted,
      lapsed,
      resolve([11_500, 11_510], [1, 2], 'not_happened', { result: 'resolved' }),
      claim([12_000, 12_010], 'c', proceed(2, 4, 12_005, { idempotencyKey: 'key-2' })),
    ],
    right: [
      granted,
      lapsed,
      resolve([11_500, 11_510], [1, 2], 'not_happened', { result: 'resolved' }),
      claim([12_000, 12_010], 'c', proceed(2, 4, 12_005)),
    ],
  },
  {
    name: "a zombie's late failed receipt ends the newer attempt",
    says: /would be superseded/,
    wrong: [
      granted,
      release([20, 30], 1, released('pending', 1, 2)),
      claim([40, 50], 'b', proceed(2, 3, 45)),
      receipt([60, 70], 1, 'failed', recorded('failed', 2, 4, { late: true })),
    ],
    right: [
      granted,
      release([20, 30], 1, released('pending', 1, 2)),
      claim([40, 50], 'b', proceed(2, 3, 45)),
      receipt([60, 70], 1, 'failed', recorded('in_progress', 2, 4, { result: 'superseded', late: true })),
    ],
  },
  {
    name: 'an acknowledged late confirmed receipt does not keep the action from being repeated',
    says: /would be already_done|would be in_progress/,
    wrong: [
      granted,
      lapsed,
      receipt([12_000, 12_010], 1, 'confirmed', recorded('confirmed', 1, 3, { late: true })),
      claim([13_000, 13_010], 'c', proceed(2, 4, 13_005)),
    ],
    right: [
      granted,
      lapsed,
      receipt([12_000, 12_010], 1, 'confirmed', recorded('confirmed', 1, 3, { late: true })),
      claim([13_000, 13_010], 'c', done(1, 3)),
    ],
  },
  {
    name: 'two confirmed receipts with different references are no contradiction',
    says: /would be contradiction/,
    wrong: [granted, confirmed, receipt([40, 50], 1, 'confirmed', recorded('confirmed', 1, 3), 'RSV-2')],
    right: [
      granted,
      confirmed,
      receipt(
        [40, 50],
        1,
        'confirmed',
        recorded('confirmed', 1, 3, { result: 'contradiction', contradiction: 'two_effects' }),
        'RSV-2',
      ),
    ],
  },
  {
    name: 'an acknowledged reference is not shown',
    says: /references would be RSV-1/,
    wrong: [granted, confirmed, claim([40, 50], 'b', done(1, 2, 1, []))],
    right: [granted, confirmed, claim([40, 50], 'b', done(1, 2))],
  },
  {
    name: 'the ledger has forgotten the claim whose receipt it is sent',
    says: /would be recorded/,
    wrong: [granted, receipt([20, 30], 1, 'confirmed', { refused: 'claim_token_unknown' })],
    right: [granted, confirmed],
  },
  {
    name: 'it has failed as often as the policy allows, and not a single time',
    says: /would be proceed/,
    wrong: [granted, failed, claim([40, 50], 'b', failedForGood(1, 2))],
    right: [granted, failed, claim([40, 50], 'b', proceed(2, 3, 45, { idempotencyKey: 'key-2' }))],
  },
  {
    name: 'a released claim is still held',
    says: /would be proceed/,
    wrong: [granted, release([20, 30], 1, released('pending', 1, 2)), claim([40, 50], 'b', held(1, 1, 5 + LEASE))],
    right: [granted, release([20, 30], 1, released('pending', 1, 2)), claim([40, 50], 'b', proceed(2, 3, 45))],
  },
];

test.each(HISTORIES)('refused: $name', ({ wrong, right, says }) => {
  expect(checkHistory(right)).toEqual({ ok: true });
  const verdict = checkHistory(wrong);
  expect(verdict).toMatchObject({ ok: false, reason: expect.stringMatching(says) });
});

test('a refusal shows what is explained, in order, then what is not, with times and why', () => {
  const verdict = checkHistory([
    claim([40, 50], 'c', proceed(2, 3, 45)),
    confirmed,
    claim([2, 12], 'b', held(1, 1, 5 + LEASE)),
    granted,
    read([60, 70], shown('confirmed', 1, 2)),
  ]);
  expect(verdict).toEqual({
    ok: false,
    reason: expect.stringContaining('the answer would be already_done'),
    readable: [
      'No order of these 5 calls explains what was answered.',
      'Explained, in this order:',
      `        0.0 –      10.0 ms  a: claim (call call-a) → proceed, state in_progress, attempt 1, historySeq 1, token ${token(1)}, lease to 10005 ms`,
      '        2.0 –      12.0 ms  b: claim (call call-b) → in_progress, state in_progress, attempt 1, historySeq 1, lease to 10005 ms',
      `       20.0 –      30.0 ms  holder 1: receipt confirmed RSV-1 with ${token(1)} → recorded, state confirmed, attempt 1, historySeq 2`,
      'Then the action is: confirmed, attempt 1, historySeq 2',
      'None of these can come next:',
      `       40.0 –      50.0 ms  c: claim (call call-c) → proceed, state in_progress, attempt 2, historySeq 3, token ${token(2)}, lease to 10045 ms`,
      '                             but the answer would be already_done',
      'Not placed:',
      '       60.0 –      70.0 ms  reader: read → confirmed, state confirmed, attempt 1, historySeq 2',
    ].join('\n'),
  });
});
