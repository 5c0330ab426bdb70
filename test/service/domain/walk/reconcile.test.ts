import { type ResolutionRequest } from '../../../../ledger-service/src/domain/requests';
import { SITUATION_NAMES, situation, type SituationName } from '../situations';
import { type Story } from '../story';
import { type StateName } from '../../store/stored-action';
import { type Expected, walk } from './walk';

const inState = (...states: StateName[]): SituationName[] =>
  SITUATION_NAMES.filter((name) => states.includes(situation(name).state));

const table = (names: readonly SituationName[], expected: (name: SituationName) => Expected) => ({
  none: { answer: { problem: 'action_unknown' } },
  ...Object.fromEntries(names.map((name) => [name, expected(name)])),
});

const resolved = (to: StateName, kind: string, details: object): ((name: SituationName) => Expected) => {
  return (name) => ({
    answer: {},
    to,
    history: [{ kind, from: situation(name).state, to }],
    also: (after) => expect(after.history.at(-1)).toMatchObject({ details: { by: 'Ada', ...details } }),
  });
};

const resolve = (story: Story, request: Pick<ResolutionRequest, 'outcome'> & Partial<ResolutionRequest>) =>
  story.resolve(request.outcome, { by: 'Ada', reason: 'asked the hotel', ...request });

walk('reconcile: happened', {
  run: (story) => resolve(story, { outcome: 'happened', reference: 'RSV-5', evidence: { page: 7 } }),
  table: table(inState('unknown', 'failed', 'pending'), (name) => ({
    ...resolved('confirmed', 'reconciled', { evidence: { page: 7 } })(name),
    also: async (after, story) => {
      expect(after.references).toContain('RSV-5');
      expect((await story.ask()).decision).toBe('already_done');
    },
  })),
  otherwise: { problem: 'not_applicable' },
});

walk('reconcile: not happened, by a person', {
  run: (story) => resolve(story, { outcome: 'not_happened' }),
  table: table(inState('unknown'), (name) => ({
    ...resolved('failed', 'reconciled', { reason: 'asked the hotel' })(name),
    also: async (_after, story) => {
      const { decision, attempt, idempotencyKey } = await story.ask();
      expect({ decision, attempt }).toEqual({ decision: 'proceed', attempt: story.current.number + 1 });
      // A holder that was only paused may still send under it.
      expect(idempotencyKey).toBe(story.current.idempotencyKey);
    },
  })),
  otherwise: { problem: 'not_applicable' },
});

walk('reconcile: not happened, by a look-up within the settle time', {
  run: (story) => resolve(story, { outcome: 'not_happened', foundBy: 'lookup' }),
  table: table(inState('unknown'), () => ({ answer: { problem: 'not_settled' } })),
  otherwise: { problem: 'not_applicable' },
});

walk('reconcile: still unknown', {
  run: (story) =>
    resolve(story, { outcome: 'still_unknown', owner: 'night shift', nextCheckAt: '2039-01-01T00:00:00Z' }),
  table: table(inState('unknown'), (name) => ({
    ...resolved('unknown', 'rescheduled', { owner: 'night shift' })(name),
    also: async (_after, story) => {
      const { rows } = await story.open.sql.query<{ due_at: Date; owner: string }>(
        'SELECT due_at, owner FROM action_ledger.open_actions WHERE id = $1',
        [story.id],
      );
      expect(rows).toEqual([{ due_at: new Date('2039-01-01T00:00:00Z'), owner: 'night shift' }]);
      expect((await story.ask()).unknown).toMatchObject({ owner: 'night shift' });
    },
  })),
  otherwise: { problem: 'not_applicable' },
});

/** Refused in every state, and what was found is kept. */
const stale = (name: SituationName): Expected => ({
  answer: { problem: 'stale_resolution' },
  to: situation(name).state,
  history: [{ kind: 'stale_resolution', from: situation(name).state, to: situation(name).state }],
  also: (after) => expect(after.history.at(-1)?.details).toMatchObject({ by: 'Ada', evidence: { page: 7 } }),
});

walk('reconcile: happened, on a page from before the last change', {
  run: async (story) => {
    const { attempt, historySeq } = await story.fence();
    return resolve(story, { outcome: 'happened', evidence: { page: 7 }, attempt, historySeq: historySeq - 1 });
  },
  table: table(inState('pending', 'in_progress', 'confirmed', 'failed', 'unknown'), stale),
  otherwise: { problem: 'no row of the table' },
});
