import { type StateName } from '../../store/stored-action';
import { NEVER_CLAIMED, NO_OLDER_ATTEMPT } from './situations-with-tokens';
import { type Expected, walk } from './walk';

const kind = 'receipt_confirmed';

/** The state becomes confirmed. `contradiction` null: the ledger had said nothing that speaks against it. */
const confirms = (
  from: StateName,
  attempt: number,
  { late, contradiction }: { late: boolean; contradiction?: unknown },
): Expected => ({
  answer: {
    result: 'recorded',
    state: 'confirmed',
    late,
    replayed: false,
    ...(contradiction !== undefined && { contradiction }),
  },
  to: 'confirmed',
  history: [{ kind, from, to: 'confirmed', attempt }],
  also: (after) => {
    expect(after.references).toContain('RSV-9');
    expect(after.history.at(-1)?.details).toMatchObject({ evidence: { seat: 12 } });
  },
});

const contradicts = (attempt: number): Expected => ({
  answer: { result: 'contradiction', state: 'confirmed', contradiction: 'two_effects', replayed: false },
  to: 'confirmed',
  history: [{ kind, from: 'confirmed', to: 'confirmed', attempt }],
  also: (after) => {
    expect(after.contradictions).toContain('two_effects');
    expect(after.references).toContain('RSV-9');
  },
});

const afterFailed = { late: true, contradiction: 'after_failed' };
const afterNotHappened = { late: true, contradiction: 'after_not_happened' };
const late = { late: true, contradiction: null };
/** The ledger had said *failed* or *not happened* on the way; under which name it is kept is not the table's business. */
const lateAndContradicting = { late: true, contradiction: expect.any(String) };

walk('a confirmed receipt of the current attempt', {
  run: (story) => story.receipt('confirmed', { reference: 'RSV-9', evidence: { seat: 12 } }),
  impossible: NEVER_CLAIMED,
  table: {
    'pending: released': confirms('pending', 1, late),
    'pending: released twice': confirms('pending', 2, late),
    'in progress: lease live': confirms('in_progress', 1, { late: false, contradiction: null }),
    'in progress: lease over': confirms('in_progress', 1, late),
    'in progress: a repeat, lease live': confirms('in_progress', 2, { late: false, contradiction: null }),
    'in progress: a repeat, lease over': confirms('in_progress', 2, late),
    'in progress: after a failed attempt': confirms('in_progress', 2, { late: false, contradiction: null }),
    'in progress: after one that did not happen': confirms('in_progress', 2, { late: false, contradiction: null }),
    'in progress: effect seen, lease live': confirms('in_progress', 2, { late: false }),
    'in progress: effect seen, lease over': confirms('in_progress', 2, { late: true }),
    'confirmed: by receipt': contradicts(1),
    // The reference of the effect that was confirmed without one: news, and no second effect.
    'confirmed: by a receipt without reference': {
      answer: { result: 'recorded', state: 'confirmed', replayed: false, contradiction: null },
      to: 'confirmed',
      history: [{ kind, from: 'confirmed', to: 'confirmed', attempt: 1 }],
      also: (after) => expect(after.references).toEqual(['RSV-9']),
    },
    'confirmed: by the second attempt': contradicts(2),
    'confirmed: by an older attempt': contradicts(2),
    'confirmed: by reconciliation': contradicts(1),
    'failed: by receipt': confirms('failed', 1, afterFailed),
    'failed: twice': confirms('failed', 2, afterFailed),
    'failed: reconciled as not happened': confirms('failed', 1, afterNotHappened),
    'failed: as often as allowed': confirms('failed', 1, afterFailed),
    'failed: no other attempt allowed': confirms('failed', 1, afterFailed),
    'unknown: lease over': confirms('unknown', 1, late),
    'unknown: by receipt': confirms('unknown', 1, late),
    'unknown: by a crash': confirms('unknown', 1, late),
    'unknown: safe to repeat': confirms('unknown', 1, late),
    'unknown: a repeat was refused': confirms('unknown', 2, { late: true }),
    'unknown: a repeat crashed too': confirms('unknown', 2, late),
    'unknown: after a failed attempt': confirms('unknown', 2, { late: true }),
    'unknown: still unknown': confirms('unknown', 1, late),
    'unknown: it was failed first': confirms('unknown', 1, lateAndContradicting),
    'unknown: overridden': confirms('unknown', 1, { late: true }),
  },
  otherwise: { result: 'no row of the table' },
});

/** A newer attempt is under way: nothing moves, and from now on every end of it leads to confirmed. */
const effectSeen: Expected = {
  answer: { result: 'recorded', state: 'in_progress', late: true, contradiction: 'older_attempt_confirmed' },
  to: 'in_progress',
  history: [{ kind, from: 'in_progress', to: 'in_progress', attempt: 1 }],
  also: async (after, story) => {
    expect(after.contradictions).toContain('older_attempt_confirmed');
    expect((await story.heartbeat()).result).toBe('lost');
  },
};

walk('a confirmed receipt of an older attempt', {
  run: (story) =>
    story.receipt('confirmed', { attempt: story.attempts[0]!, reference: 'RSV-9', evidence: { seat: 12 } }),
  impossible: NO_OLDER_ATTEMPT,
  table: {
    'pending: released twice': confirms('pending', 1, late),
    'in progress: a repeat, lease live': effectSeen,
    'in progress: a repeat, lease over': effectSeen,
    'in progress: after a failed attempt': effectSeen,
    'in progress: after one that did not happen': effectSeen,
    'in progress: effect seen, lease live': effectSeen,
    'in progress: effect seen, lease over': effectSeen,
    'confirmed: by the second attempt': contradicts(1),
    'confirmed: by an older attempt': contradicts(1),
    'failed: twice': confirms('failed', 1, afterFailed),
    'unknown: a repeat was refused': confirms('unknown', 1, late),
    'unknown: a repeat crashed too': confirms('unknown', 1, late),
    'unknown: after a failed attempt': confirms('unknown', 1, lateAndContradicting),
  },
  otherwise: { result: 'no row of the table' },
});
