import { type StateName } from '../../store/stored-action';
import { NEVER_CLAIMED, NO_OLDER_ATTEMPT } from './situations-with-tokens';
import { type Expected, walk } from './walk';

const kind = 'receipt_failed';

const leads = (from: StateName, to: StateName, attempt: number, late: boolean): Expected => ({
  answer: { result: 'recorded', state: to, late, replayed: false },
  to,
  history: [{ kind, from, to, attempt }],
  also: (after) => expect(after.history.at(-1)?.details).toMatchObject({ evidence: { status: 409 } }),
});

const kept = (state: StateName, attempt: number, answer: Record<string, unknown>): Expected => ({
  answer: { state, ...answer },
  to: state,
  history: [{ kind, from: state, to: state, attempt }],
  also: (after) => expect(after.history.at(-1)?.details).toMatchObject({ evidence: { status: 409 } }),
});

const contradicts = (attempt: number): Expected =>
  kept('confirmed', attempt, { result: 'contradiction', contradiction: 'failed_after_confirmed' });

/** The situation has this receipt already, with other evidence. */
const again = (state: StateName, attempt: number): Expected =>
  kept(state, attempt, { result: 'recorded', replayed: true });

walk('a failed receipt of the current attempt', {
  run: (story) => story.receipt('failed', { evidence: { status: 409 } }),
  impossible: NEVER_CLAIMED,
  table: {
    'in progress: lease live': leads('in_progress', 'failed', 1, false),
    'in progress: lease over': leads('in_progress', 'failed', 1, true),
    'in progress: a repeat, lease live': leads('in_progress', 'unknown', 2, false),
    'in progress: a repeat, lease over': leads('in_progress', 'unknown', 2, true),
    'in progress: after a failed attempt': leads('in_progress', 'failed', 2, false),
    'in progress: after one that did not happen': leads('in_progress', 'failed', 2, false),
    'in progress: effect seen, lease live': leads('in_progress', 'confirmed', 2, false),
    'in progress: effect seen, lease over': leads('in_progress', 'confirmed', 2, true),
    'confirmed: by receipt': contradicts(1),
    'confirmed: by a receipt without reference': contradicts(1),
    'confirmed: by the second attempt': contradicts(2),
    'confirmed: by an older attempt': again('confirmed', 2),
    'confirmed: by reconciliation': contradicts(1),
    'failed: by receipt': again('failed', 1),
    'failed: twice': again('failed', 2),
    'failed: as often as allowed': again('failed', 1),
    'failed: no other attempt allowed': again('failed', 1),
    'unknown: lease over': leads('unknown', 'failed', 1, true),
    'unknown: by receipt': leads('unknown', 'failed', 1, true),
    'unknown: by a crash': leads('unknown', 'failed', 1, true),
    'unknown: safe to repeat': leads('unknown', 'failed', 1, true),
    'unknown: a repeat was refused': again('unknown', 2),
    // The first attempt is still unresolved: what is said of the second is kept and moves nothing.
    'unknown: a repeat crashed too': leads('unknown', 'unknown', 2, true),
    'unknown: after a failed attempt': leads('unknown', 'failed', 2, true),
    'unknown: still unknown': leads('unknown', 'failed', 1, true),
    'unknown: it was failed first': again('unknown', 1),
    'unknown: overridden': leads('unknown', 'failed', 1, true),
  },
  otherwise: { result: 'not_applicable' },
});

const superseded = (state: StateName): Expected => kept(state, 1, { result: 'superseded', replayed: false });

walk('a failed receipt of an older attempt', {
  run: (story) => story.receipt('failed', { attempt: story.attempts[0]!, evidence: { status: 409 } }),
  impossible: NO_OLDER_ATTEMPT,
  table: {
    'pending: released twice': superseded('pending'),
    'in progress: a repeat, lease live': superseded('in_progress'),
    'in progress: a repeat, lease over': superseded('in_progress'),
    'in progress: after a failed attempt': again('in_progress', 1),
    'in progress: after one that did not happen': superseded('in_progress'),
    'in progress: effect seen, lease live': superseded('in_progress'),
    'in progress: effect seen, lease over': superseded('in_progress'),
    'confirmed: by the second attempt': again('confirmed', 1),
    'confirmed: by an older attempt': superseded('confirmed'),
    'failed: twice': again('failed', 1),
    // Both have failed now; the ledger had said *unknown*, and only a reconciliation ends that.
    'unknown: a repeat was refused': superseded('unknown'),
    'unknown: a repeat crashed too': kept('unknown', 1, { result: 'recorded', replayed: false }),
    'unknown: after a failed attempt': again('unknown', 1),
  },
  otherwise: { result: 'no row of the table' },
});
