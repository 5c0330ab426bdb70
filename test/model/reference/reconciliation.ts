import { type ActionStory, attemptOf, currentAttempt, executionOf, wasSaid } from './action-story';
import { type EndedAsk, type OverrideAsk, type ResolveAsk } from './asks';
import { after, exactly, type Moment, notAfter } from './moments';
import { addReferences, referencesOf } from './receipts';
import { ended } from './rules';
import {
  type Circumstances,
  confirmed,
  type Decision,
  leaseEnds,
  record,
  unknown,
  waitsForSomebody,
} from './transition';

/** The name that a resolution is kept under where it says of nobody who found out. */
export const KEY_NAME = 'model';

const fenceHolds = (action: ActionStory, ask: { attempt: number; historySeq: number }): boolean =>
  ask.attempt === currentAttempt(action) && ask.historySeq === action.history.length;

/** From when a look-up that finds nothing counts. */
export function settledAt(action: ActionStory, { policy }: Pick<Circumstances, 'policy'>): Moment {
  const { reading, plus } = action.settleFrom ?? action.since;
  return { reading, plus: plus + policy.settleSeconds * 1000 };
}

export const isSettled = (action: ActionStory, given: Circumstances): boolean =>
  notAfter(settledAt(action, given), after(given.now));

export function resolve(action: ActionStory, ask: ResolveAsk, given: Circumstances): Decision {
  const references = referencesOf(ask);
  const { outcome, foundBy = 'person', nextCheckAt } = ask;
  const facts = {
    outcome,
    foundBy,
    ...(references.length === 0 ? {} : { references }),
    ...(nextCheckAt === undefined ? {} : { nextCheckAt: new Date(nextCheckAt).toISOString() }),
  };
  const details = {
    by: ask.by ?? KEY_NAME,
    reason: ask.reason ?? null,
    evidence: ask.evidence ?? null,
    owner: ask.owner ?? null,
  };
  if (!fenceHolds(action, ask)) {
    const fence = { attempt: ask.attempt, historySeq: ask.historySeq };
    record(action, 'stale_resolution', action.state, given, { facts: { ...facts, fence }, details });
    return { answer: 'stale_resolution' };
  }
  const { state } = action;
  if (outcome === 'happened' && (state === 'unknown' || state === 'failed' || state === 'pending')) {
    addReferences(action, references);
    action.confirmedBy ??= 0;
    confirmed(action, 'reconciled', given, { facts, details });
    return { answer: 'resolved' };
  }
  if (state !== 'unknown' || outcome === 'happened') return { answer: 'not_applicable' };
  if (outcome === 'still_unknown') {
    action.owner = ask.owner ?? action.owner;
    action.due = nextCheckAt === undefined ? after(given.now, given.policy.settleSeconds * 1000) : exactly(nextCheckAt);
    record(action, 'rescheduled', 'unknown', given, { facts, details });
    return { answer: 'resolved' };
  }
  if (foundBy === 'lookup' && !isSettled(action, given)) return { answer: 'not_settled' };
  notHappened(action, given, { facts, details });
  return { answer: 'resolved' };
}

/** It resolves every attempt. The idempotency key stays: a paused holder may still send under it. */
function notHappened(
  action: ActionStory,
  given: Circumstances,
  entry: { facts: Record<string, unknown>; details: unknown },
): void {
  for (const attempt of action.attempts) attempt.unresolved = false;
  action.notHappenedUpTo = currentAttempt(action);
  action.keyFailedBy = null;
  if (action.notHappenedUpTo > 0) {
    attemptOf(action, action.notHappenedUpTo).said.push({ word: 'not_happened', references: [], evidence: null });
  }
  record(action, 'reconciled', 'failed', given, entry);
  action.cause = 'not_happened';
  waitsForSomebody(action, given);
}

/** Two people take a confirmation back: of every attempt that was confirmed it is open again whether it had its effect. */
export function override(action: ActionStory, ask: OverrideAsk, given: Circumstances): Decision {
  if (!fenceHolds(action, ask)) return { answer: 'stale_resolution' };
  if (action.state !== 'confirmed') return { answer: 'not_applicable' };
  for (const attempt of action.attempts) {
    if (attempt.number === currentAttempt(action) || wasSaid(attempt, 'confirmed')) attempt.unresolved = true;
  }
  action.confirmedBy = null;
  action.keyFailedBy = null;
  const { by, secondPerson, reason } = ask;
  unknown(action, 'overridden', 'overridden', given, { details: { by, secondPerson, reason } });
  return { answer: 'overridden' };
}

/** The execution that holds the action has ended without a receipt. */
export function abandon(action: ActionStory, { holder, cause }: EndedAsk, given: Circumstances): Decision {
  if (action.state !== 'in_progress' || executionOf(action.holder) !== executionOf(holder)) {
    return { answer: 'not_applicable' };
  }
  const code = cause ?? 'execution_crashed';
  if (action.effectSeen) confirmed(action, 'abandoned', given, { facts: { effectSeen: true } });
  else unknown(action, 'abandoned', code, given, { facts: { cause: code } });
  return { answer: 'abandoned' };
}

export function sweep(action: ActionStory, given: Circumstances): Decision {
  if (!ended(action, given.now, given.rules)) return { answer: 'not_applicable' };
  leaseEnds(action, given);
  return { answer: 'swept' };
}
