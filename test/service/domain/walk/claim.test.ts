import { type Story } from '../story';
import { NEVER_CLAIMED } from './situations-with-tokens';
import { type Expected, walk } from './walk';

const confirmedWith = (reference: string | null): Expected => ({
  answer: {
    decision: 'already_done',
    state: 'confirmed',
    receipt: { outcome: 'confirmed', reference },
    claimToken: null,
  },
});

const granted = (from: 'none' | 'pending' | 'failed', attempt: number): Expected => ({
  answer: { decision: 'proceed', state: 'in_progress', attempt, repeat: false, replayed: false, leaseMs: 300_000 },
  to: 'in_progress',
  history: [{ kind: 'claimed', from, to: 'in_progress', attempt }],
});

const inProgress: Expected = { answer: { decision: 'in_progress', claimToken: null, idempotencyKey: null } };

const leaseEnds = (attempt: number): Expected => ({
  answer: { decision: 'unknown', state: 'unknown', claimToken: null, unknown: { cause: 'lease_expired' } },
  to: 'unknown',
  history: [{ kind: 'lease_expired', from: 'in_progress', to: 'unknown', attempt }],
});

const unknown = (cause: string, owner: string | null = 'front desk'): Expected => ({
  answer: {
    decision: 'unknown',
    state: 'unknown',
    unknown: { cause, owner, since: expect.any(String), reviewBy: expect.any(String) },
    claimToken: null,
  },
});

const failed: Expected = { answer: { decision: 'failed', state: 'failed', claimToken: null } };

const LIVE = {
  'in progress: lease live': inProgress,
  'in progress: a repeat, lease live': inProgress,
  'in progress: after a failed attempt': inProgress,
  'in progress: after one that did not happen': inProgress,
  'in progress: effect seen, lease live': inProgress,
};

/** What every claim is answered that neither is the same call again nor names other details nor may repeat. */
const PLAIN = {
  none: granted('none', 1),
  'pending: registered': granted('pending', 1),
  'pending: released': granted('pending', 2),
  'pending: released twice': granted('pending', 3),
  ...LIVE,
  'in progress: lease over': leaseEnds(1),
  'in progress: a repeat, lease over': leaseEnds(2),
  'in progress: effect seen, lease over': {
    answer: { decision: 'already_done', receipt: { reference: 'RSV-1', attempt: 1 } },
    to: 'confirmed',
    history: [{ kind: 'lease_expired', from: 'in_progress', to: 'confirmed', attempt: 2 }],
  },
  'confirmed: by receipt': confirmedWith('RSV-1'),
  'confirmed: by a receipt without reference': confirmedWith(null),
  'confirmed: by the second attempt': confirmedWith('RSV-2'),
  'confirmed: by an older attempt': confirmedWith('RSV-1'),
  'confirmed: by reconciliation': confirmedWith('RSV-1'),
  'confirmed: by reconciliation, never claimed': confirmedWith('RSV-1'),
  'failed: by receipt': granted('failed', 2),
  'failed: twice': granted('failed', 3),
  'failed: reconciled as not happened': granted('failed', 2),
  'failed: as often as allowed': failed,
  'failed: no other attempt allowed': failed,
  'unknown: lease over': unknown('lease_expired'),
  'unknown: by receipt': unknown('timeout'),
  'unknown: by a crash': unknown('execution_crashed'),
  'unknown: safe to repeat': unknown('execution_crashed', null),
  'unknown: a repeat was refused': unknown('repeat_refused', null),
  'unknown: a repeat crashed too': unknown('execution_crashed', null),
  'unknown: after a failed attempt': unknown('execution_crashed'),
  'unknown: still unknown': unknown('execution_crashed'),
  'unknown: it was failed first': unknown('timeout'),
  'unknown: overridden': unknown('overridden'),
} satisfies Record<string, Expected>;

/** The table is complete: there is no situation that a claim has no row for. */
const NO_ROW = { decision: 'no row of the table' };

walk('a claim by another call', { run: (story) => story.ask(), table: PLAIN, otherwise: NO_ROW });

walk('a claim with other details', {
  run: (story) => story.ask({ details: { amount: 5000 } }),
  table: { none: granted('none', 1) },
  otherwise: { decision: 'mismatch', claimToken: null },
});

const repeats = (attempt: number, ...first: NonNullable<Expected['history']>): Expected => ({
  answer: { decision: 'proceed', repeat: true, replayed: false, attempt, state: 'in_progress' },
  to: 'in_progress',
  history: [...first, { kind: 'repeated', from: 'unknown', to: 'in_progress', attempt }],
  also: async (after, story: Story) => {
    expect(after.history.at(-1)?.facts).toMatchObject({ idempotencyKey: story.current.idempotencyKey });
    expect(new Set(story.attempts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  },
});

walk('a claim that meets all conditions of a safe repeat', {
  run: (story) =>
    story.ask({
      details: { currency: 'thb', amount: 4900 },
      holder: { ...story.holder('another'), sendsIdempotencyKey: true },
    }),
  table: {
    ...PLAIN,
    'unknown: safe to repeat': repeats(2),
    'unknown: a repeat was refused': repeats(3),
    'unknown: a repeat crashed too': repeats(3),
    'in progress: a repeat, lease over': repeats(3, {
      kind: 'lease_expired',
      from: 'in_progress',
      to: 'unknown',
      attempt: 2,
    }),
  },
  otherwise: NO_ROW,
});

/** While the lease lives: the answer that was lost, once more. */
const replayed = (attempt: number): Expected => ({
  answer: { decision: 'proceed', state: 'in_progress', attempt, replayed: true },
  repeated: true,
});

walk('the same call again', {
  run: async (story) => {
    const { requestToken, claimToken, idempotencyKey, leaseExpiresAt } = story.current;
    const answer = await story.ask({}, { requestToken });
    if (answer.replayed) expect(answer).toMatchObject({ claimToken, idempotencyKey, leaseExpiresAt });
    return answer;
  },
  impossible: NEVER_CLAIMED,
  table: {
    ...PLAIN,
    'in progress: lease live': replayed(1),
    'in progress: a repeat, lease live': { ...replayed(2), answer: { ...replayed(2).answer, repeat: true } },
    'in progress: after a failed attempt': replayed(2),
    'in progress: after one that did not happen': replayed(2),
    'in progress: effect seen, lease live': replayed(2),
  },
  otherwise: NO_ROW,
});
