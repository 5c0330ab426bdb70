import fc from 'fast-check';

import { currentAttempt } from '../reference/action-story';
import { type Details, type ResolveAsk } from '../reference/asks';
import { policyOf } from '../reference/world';
import { type Circumstances, often, some, someKey } from './claim-moves';
import { Asking, LeaseRunsOut, Look, type Move, TimePasses } from './moves';
import { type Play } from './play';

/** What the owner's side does, and what happens by itself. */

const FENCES = ['', ', one entry behind', ', one attempt behind'] as const;

const someFence = often<(typeof FENCES)[number]>(8, '', some(1, fc.constantFrom(...FENCES.slice(1))));

function fenceOf(
  { world }: Play,
  key: number,
  fence: (typeof FENCES)[number],
): { attempt: number; historySeq: number } | null {
  const action = world.actions[key];
  if (!action) return null;
  const [attempt, historySeq] = [currentAttempt(action), action.history.length];
  if (fence === '') return { attempt, historySeq };
  return fence === ', one entry behind'
    ? { attempt, historySeq: historySeq - 1 }
    : { attempt: Math.max(0, attempt - 1), historySeq };
}

const FOUND: Record<string, Details> = { booking: { found: 'RSV-1' } };

const resolveMove = ({ start }: Circumstances): fc.Arbitrary<Move> =>
  fc
    .record({
      key: someKey,
      outcome: fc.constantFrom<ResolveAsk['outcome'][]>('happened', 'not_happened', 'not_happened', 'still_unknown'),
      fence: someFence,
      foundBy: often<'person' | 'lookup' | undefined>(2, undefined, some(2, fc.constantFrom('person', 'lookup'))),
      reference: often<string | undefined>(2, undefined, some(2, fc.constantFrom('RSV-1', 'RSV-2'))),
      evidence: often<string | undefined>(2, undefined, some(1, fc.constantFrom(...Object.keys(FOUND)))),
      owner: often<string | undefined>(3, undefined, some(1, fc.constantFrom('front desk', 'Jo'))),
      check: often<number | undefined>(2, undefined, some(1, fc.constant(90))),
      by: often<string | undefined>(1, 'jo@example.com', some(1, fc.constant(undefined))),
    })
    .map(({ key, outcome, fence, foundBy, reference, evidence, owner, check, by }) => {
      const parts = [
        `key ${key + 1}`,
        `${outcome}${outcome === 'happened' && reference !== undefined ? ` ${reference}` : ''}`,
        foundBy && `by ${foundBy}`,
        evidence && `evidence ${evidence}`,
        owner && `owner ${owner}`,
        check && `check in ${check} min`,
      ];
      return new Asking(`resolve(${parts.filter(Boolean).join(', ')})${fence}`, (play): ResolveAsk | null => {
        const held = fenceOf(play, key, fence);
        if (held === null) return null;
        return {
          kind: 'resolve',
          key,
          outcome,
          ...held,
          reason: 'looked it up',
          ...(outcome === 'happened' && reference !== undefined ? { reference } : {}),
          ...(foundBy === undefined ? {} : { foundBy }),
          ...(evidence === undefined ? {} : { evidence: FOUND[evidence]! }),
          ...(owner === undefined ? {} : { owner }),
          ...(check === undefined ? {} : { nextCheckAt: start() + check * 60_000 }),
          ...(by === undefined ? {} : { by }),
        };
      });
    });

const overrideMove: fc.Arbitrary<Move> = fc.record({ key: someKey, fence: someFence }).map(
  ({ key, fence }) =>
    new Asking(`override(key ${key + 1})${fence}`, (play) => {
      const held = fenceOf(play, key, fence);
      return held && { kind: 'override', key, ...held, by: 'Ada', secondPerson: 'Grace', reason: 'a test booking' };
    }),
);

const KEY_WINDOW = { destinationIdempotency: 'key', destinationWindowSeconds: 7_770 };

const POLICIES: Record<string, Record<string, unknown>> = {
  'safe repeat': { ...KEY_WINDOW, safeRepeat: true },
  'a key, no repeat': { ...KEY_WINDOW, safeRepeat: false },
  'no repeat': { safeRepeat: false },
  'no window': { safeRepeat: true, destinationWindowSeconds: null },
  'no key': { safeRepeat: true, destinationIdempotency: 'none' },
  'one attempt': { maxAttempts: 1 },
  'two attempts': { maxAttempts: 2 },
  'no retry': { retryAfterFailure: false },
  'retry again': { retryAfterFailure: true, maxAttempts: 10 },
  'settled at once': { settleSeconds: 0 },
  'settled after 900 s': { settleSeconds: 900, reviewHours: 2 },
  'owned by the desk': { owner: 'desk@example.com' },
  'replay window': { replayWindowDays: 7 },
  'lease of 5000 s': { leaseSeconds: 5_000 },
};

const REVISIONS = ['', ', naming no revision', ', naming another revision'] as const;

export const configureMove: fc.Arbitrary<Move> = fc
  .record({
    key: someKey,
    policy: fc.constantFrom(...Object.keys(POLICIES)),
    revision: often<(typeof REVISIONS)[number]>(8, '', some(1, fc.constantFrom(...REVISIONS.slice(1)))),
  })
  .map(
    ({ key, policy, revision }) =>
      new Asking(`the policy of key ${key + 1} becomes: ${policy}${revision}`, ({ world }) => ({
        kind: 'configure',
        key,
        change: POLICIES[policy]!,
        ...(revision === ', naming no revision'
          ? {}
          : { revision: policyOf(world, key).revision + (revision === '' ? 0 : 1) }),
      })),
  );

const sweepMove: fc.Arbitrary<Move> = fc
  .constant(0)
  .map(
    () =>
      new Asking('sweep', ({ world }) => (world.actions.every((action) => action === null) ? null : { kind: 'sweep' })),
  );

export const ownerMoves = (circumstances: Circumstances, seconds: readonly number[]): fc.WeightedArbitrary<Move>[] => [
  some(10, resolveMove(circumstances)),
  some(5, overrideMove),
  some(3, configureMove),
  some(4, sweepMove),
  some(
    8,
    someKey.map((key): Move => new LeaseRunsOut(key)),
  ),
  some(
    4,
    fc.constantFrom(...seconds).map((passed): Move => new TimePasses(passed)),
  ),
  some(
    2,
    someKey.map((key): Move => new Look(key)),
  ),
];
