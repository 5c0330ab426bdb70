import { type StateName } from '../../store/stored-action';
import { NEVER_CLAIMED, NO_OLDER_ATTEMPT } from './situations-with-tokens';
import { type Expected, walk } from './walk';

const kind = 'receipt_unknown';

const becomesUnknown = (from: StateName, attempt: number, late: boolean): Expected => ({
  answer: { result: 'recorded', state: 'unknown', late, replayed: false },
  to: 'unknown',
  history: [{ kind, from, to: 'unknown', attempt }],
  also: async (_after, story) => {
    expect((await story.ask()).unknown).toMatchObject({ cause: 'connection_lost' });
  },
});

const contradicts = (attempt: number): Expected => ({
  answer: { result: 'recorded', state: 'unknown', contradiction: 'unknown_after_failed', replayed: false },
  to: 'unknown',
  history: [{ kind, from: 'failed', to: 'unknown', attempt }],
  also: (after) => expect(after.contradictions).toContain('unknown_after_failed'),
});

const kept = (state: StateName, attempt: number, answer: Record<string, unknown> = {}): Expected => ({
  answer: { result: 'recorded', state, replayed: false, ...answer },
  to: state,
  history: [{ kind, from: state, to: state, attempt }],
  also: (after) =>
    expect(after.history.at(-1)?.details).toMatchObject({ cause: 'connection_lost', evidence: { code: 'ECONNRESET' } }),
});

const confirmsSeen: Expected = {
  answer: { result: 'recorded', state: 'confirmed' },
  to: 'confirmed',
  history: [{ kind, from: 'in_progress', to: 'confirmed', attempt: 2 }],
};

const receipt = { cause: 'connection_lost', evidence: { code: 'ECONNRESET' } };

walk('an unknown receipt of the current attempt', {
  run: (story) => story.receipt('unknown', receipt),
  impossible: NEVER_CLAIMED,
  table: {
    'pending: released': kept('pending', 1),
    'pending: released twice': kept('pending', 2),
    'in progress: lease live': becomesUnknown('in_progress', 1, false),
    'in progress: lease over': becomesUnknown('in_progress', 1, true),
    'in progress: a repeat, lease live': becomesUnknown('in_progress', 2, false),
    'in progress: a repeat, lease over': becomesUnknown('in_progress', 2, true),
    'in progress: after a failed attempt': becomesUnknown('in_progress', 2, false),
    'in progress: after one that did not happen': becomesUnknown('in_progress', 2, false),
    'in progress: effect seen, lease live': confirmsSeen,
    'in progress: effect seen, lease over': confirmsSeen,
    'confirmed: by receipt': kept('confirmed', 1),
    'confirmed: by a receipt without reference': kept('confirmed', 1),
    'confirmed: by the second attempt': kept('confirmed', 2),
    'confirmed: by an older attempt': kept('confirmed', 2),
    'confirmed: by reconciliation': kept('confirmed', 1),
    'failed: by receipt': contradicts(1),
    'failed: twice': contradicts(2),
    'failed: reconciled as not happened': contradicts(1),
    'failed: as often as allowed': contradicts(1),
    'failed: no other attempt allowed': contradicts(1),
    'unknown: lease over': kept('unknown', 1),
    'unknown: by receipt': kept('unknown', 1, { replayed: true }),
    'unknown: by a crash': kept('unknown', 1),
    'unknown: safe to repeat': kept('unknown', 1),
    'unknown: a repeat was refused': kept('unknown', 2),
    'unknown: a repeat crashed too': kept('unknown', 2),
    'unknown: after a failed attempt': kept('unknown', 2),
    'unknown: still unknown': kept('unknown', 1),
    'unknown: it was failed first': kept('unknown', 1, { replayed: true }),
    'unknown: overridden': kept('unknown', 1),
  },
  otherwise: { result: 'no row of the table' },
});

const superseded = (state: StateName): Expected => kept(state, 1, { result: 'superseded' });

walk('an unknown receipt of an older attempt', {
  run: (story) => story.receipt('unknown', { attempt: story.attempts[0]!, ...receipt }),
  impossible: NO_OLDER_ATTEMPT,
  table: {
    'pending: released twice': kept('pending', 1),
    'in progress: a repeat, lease live': superseded('in_progress'),
    'in progress: a repeat, lease over': superseded('in_progress'),
    'in progress: after a failed attempt': superseded('in_progress'),
    'in progress: after one that did not happen': superseded('in_progress'),
    'in progress: effect seen, lease live': superseded('in_progress'),
    'in progress: effect seen, lease over': superseded('in_progress'),
    'confirmed: by the second attempt': kept('confirmed', 1),
    'confirmed: by an older attempt': kept('confirmed', 1),
    'failed: twice': superseded('failed'),
    'unknown: a repeat was refused': superseded('unknown'),
    'unknown: a repeat crashed too': superseded('unknown'),
    'unknown: after a failed attempt': superseded('unknown'),
  },
  otherwise: { result: 'no row of the table' },
});
