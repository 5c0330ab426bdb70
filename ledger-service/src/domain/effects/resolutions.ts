import { type OverrideCommand, type ReconcileCommand } from '../commands';
import { type Change, type Situation } from '../decision';
import { withReferences } from '../reference-set';
import { comeBack, existing, marked, move, review, UNSCHEDULED } from './move';

function reconcileParts(s: Situation<ReconcileCommand>): { facts: Record<string, unknown>; details: unknown } {
  const { outcome, foundBy, references, by, reason, evidence, owner, nextCheckAt } = s.command;
  return {
    facts: {
      outcome,
      foundBy,
      ...(references.length === 0 ? {} : { references }),
      ...(nextCheckAt === null ? {} : { nextCheckAt: new Date(nextCheckAt).toISOString() }),
    },
    details: { by, reason, evidence, owner },
  };
}

/** The attempts stay as they were: an override would ask again which of them may have had its effect. */
export function resolveHappened(s: Situation<ReconcileCommand>): Change {
  const action = existing(s);
  return move(
    s,
    'confirmed',
    'reconciled',
    {
      references: withReferences(action.references, s.command.references),
      confirmedAttempt: action.confirmedAttempt ?? 0,
      cause: null,
    },
    reconcileParts(s),
  );
}

export function resolveNotHappened(s: Situation<ReconcileCommand>): Change {
  const action = existing(s);
  // The idempotency key stays: a paused holder may still send under it.
  return move(
    s,
    'failed',
    'reconciled',
    {
      unresolved: [],
      rotateKey: false,
      cause: 'not_happened',
      receipts: marked(action, { attempt: action.attempt, outcome: 'not_happened', references: [] }),
    },
    { ...reconcileParts(s), schedule: comeBack(s) },
  );
}

export function reschedule(s: Situation<ReconcileCommand>): Change {
  const action = existing(s);
  const { owner, nextCheckAt } = s.command;
  return move(
    s,
    'unknown',
    'rescheduled',
    { open: { ...UNSCHEDULED, owner: owner ?? action.open?.owner ?? null } },
    {
      ...reconcileParts(s),
      schedule: { due: nextCheckAt === null ? { inMs: s.policy.settleSeconds * 1000 } : { at: nextCheckAt } },
    },
  );
}

/** The page or look-up began before the action moved on: refused, and what was found is kept. */
export function keepStale(s: Situation<ReconcileCommand>): Change {
  const parts = reconcileParts(s);
  return move(
    s,
    existing(s).state,
    'stale_resolution',
    {},
    {
      ...parts,
      facts: { ...parts.facts, fence: s.command.fence },
    },
  );
}

export function override(s: Situation<OverrideCommand>): Change {
  const action = existing(s);
  const { by, secondPerson, reason } = s.command;
  // Whether the attempts that were confirmed had their effect is open again, as it is for the current one.
  const confirmed = action.receipts.filter(({ outcome }) => outcome === 'confirmed').map(({ attempt }) => attempt);
  const doubted = new Set([...action.unresolved, ...confirmed, action.attempt]);
  return move(
    s,
    'unknown',
    'overridden',
    // The receipts stay known: the one that was overridden, sent again, must not undo what two people decided.
    {
      confirmedAttempt: null,
      unresolved: [...doubted].filter((attempt) => attempt > 0),
      cause: 'overridden',
      rotateKey: false,
    },
    { details: { by, secondPerson, reason }, schedule: review(s) },
  );
}
