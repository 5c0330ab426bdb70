import { type Action, type Contradiction, type ReceiptMark } from './action';
import {
  type AbandonCommand,
  type ClaimCommand,
  type OverrideCommand,
  type ReceiptCommand,
  type ReconcileCommand,
  type RegisterCommand,
  type ReleaseCommand,
} from './commands';
import { type Situation } from './decision';
import { evidenceDigest } from './fingerprint';
import { WINDOW_MARGIN } from './policy';
import { sameReferences } from './reference-set';

/** The conditions of the transitions table. Each is true or false of a situation whose action exists. */

export const leaseLive = ({ action, now }: Situation): boolean => (action?.open?.dueAt ?? 0) > now;

export const effectSeen = ({ action }: Situation): boolean => action?.effectSeen === true;

/** The moment after which a repeat under the idempotency key is no longer safe; null where none ever was. */
export function keyEndsAt(action: Pick<Action, 'keyClaimedAt' | 'keyWindowMs'>): number | null {
  if (action.keyClaimedAt === null || action.keyWindowMs === null) return null;
  return action.keyClaimedAt + action.keyWindowMs * (1 - WINDOW_MARGIN);
}

/** The length of the lease that a claim asks for, in milliseconds. */
export const leaseMsOf = ({ command, policy }: Situation<ClaimCommand>): number =>
  command.leaseMs ?? policy.leaseSeconds * 1000;

export function safeRepeat(s: Situation<ClaimCommand>): boolean {
  const { action, command, policy, now } = s;
  if (action === null) return false;
  const endsAt = keyEndsAt(action);
  return (
    policy.safeRepeat &&
    endsAt !== null &&
    command.sendsIdempotencyKey &&
    command.fingerprint !== null &&
    command.fingerprint === action.fingerprint &&
    now + leaseMsOf(s) <= endsAt
  );
}

export const claimableFailed = ({ action, policy }: Pick<Situation, 'action' | 'policy'>): boolean =>
  policy.retryAfterFailure && (action?.failedReceipts ?? 0) < policy.maxAttempts;

export function sameCall(s: Situation<ClaimCommand>): boolean {
  const { action, command } = s;
  return (
    action?.state === 'in_progress' &&
    command.callId !== null &&
    command.callId === action.callId &&
    command.callPosition === action.callPosition &&
    leaseLive(s)
  );
}

export const otherDetails = ({ action, command }: Situation<ClaimCommand | RegisterCommand>): boolean =>
  action?.fingerprint != null && command.fingerprint !== null && command.fingerprint !== action.fingerprint;

interface OfAttempt {
  attempt: number;
}

export const thisAttempt = ({ action, command }: { action: Action | null; command: OfAttempt }): boolean =>
  action !== null && command.attempt === action.attempt;

export const unresolvedAttempt = ({ action, command }: { action: Action | null; command: OfAttempt }): boolean =>
  action?.unresolved.includes(command.attempt) === true;

/** Unresolved attempts besides the command's own. An unresolved attempt is always one under the present key. */
export const othersUnresolved = ({ action, command }: { action: Action | null; command: OfAttempt }): boolean =>
  action?.unresolved.some((attempt) => attempt !== command.attempt) === true;

export const onlyUnresolved = (s: { action: Action | null; command: OfAttempt }): boolean =>
  thisAttempt(s) && unresolvedAttempt(s) && !othersUnresolved(s);

/** n8n's manual Retry ran the step again without asking: the receipt comes from another execution than the claim. */
export const repeatedByRetry = ({ action, command }: Situation<ReceiptCommand>): boolean =>
  thisAttempt({ action, command }) &&
  command.holderId !== null &&
  action?.holderId != null &&
  command.holderId !== action.holderId;

export const fenceHolds = ({ action, command }: Situation<ReconcileCommand | OverrideCommand>): boolean =>
  action !== null && command.fence.attempt === action.attempt && command.fence.historySeq === action.historySeq;

/** A look-up's *not found* proves nothing before the settle time; a person is warned and not stopped. */
export const settled = ({ action, command, policy, now }: Situation<ReconcileCommand>): boolean =>
  command.foundBy === 'person' || now >= settledAt(action, policy.settleSeconds);

export const settledAt = (action: Action | null, settleSeconds: number): number =>
  (action?.open?.settleFrom ?? action?.since ?? 0) + settleSeconds * 1000;

/**
 * Whether a confirmed receipt for a confirmed action tells of a second effect. It does when both name the effect and
 * the names differ, and when two attempts were confirmed without one name that both share.
 */
export function secondEffect({ action, command }: Situation<ReceiptCommand>): boolean {
  if (action === null) return false;
  const named = action.references.length > 0 && command.references.length > 0;
  if (named) return command.references.some((reference) => !action.references.includes(reference));
  const other = action.confirmedAttempt;
  return other !== null && other !== 0 && other !== command.attempt;
}

/** The ledger had said of this attempt that it failed. */
const saidFailed = ({ action, command }: Situation<ReceiptCommand>): boolean =>
  action?.state === 'failed' ||
  action?.receipts.some((mark) => mark.outcome === 'failed' && mark.attempt === command.attempt) === true;

/** A reconciliation had found that nothing happened, by this attempt or an earlier one. */
const saidNotHappened = ({ action, command }: Situation<ReceiptCommand>): boolean =>
  action?.receipts.some((mark) => mark.outcome === 'not_happened' && command.attempt <= mark.attempt) === true;

/** What a confirmed receipt contradicts; undefined where it contradicts nothing that was said. */
export function contradicted(s: Situation<ReceiptCommand>): Contradiction | undefined {
  if (saidNotHappened(s)) return 'after_not_happened';
  if (saidFailed(s)) return 'after_failed';
  return repeatedByRetry(s) ? 'repeated_by_retry' : undefined;
}

export const says = ({ command }: Situation<ReceiptCommand>, outcome: ReceiptCommand['outcome']): boolean =>
  command.outcome === outcome;

/** What was said last of an attempt. */
export const lastSaid = ({ receipts }: Action, attempt: number): ReceiptMark['outcome'] | undefined =>
  receipts.findLast((mark) => mark.attempt === attempt)?.outcome;

/** The same, leaving out what a reconciliation found. */
export const lastSaidByHolder = ({ receipts }: Action, attempt: number): ReceiptMark['outcome'] | undefined =>
  receipts.findLast((mark) => mark.attempt === attempt && mark.outcome !== 'not_happened')?.outcome;

/**
 * The marks of this very receipt. *Unknown* counts as said again only where nothing else was said since: it takes back
 * a *failed* in between, which must not be filed away.
 */
function sameReceipt({ action, command }: Situation<ReceiptCommand>): ReceiptMark[] {
  const { attempt, outcome, references } = command;
  if (action === null || (outcome === 'unknown' && lastSaid(action, attempt) !== 'unknown')) return [];
  return action.receipts.filter(
    (mark) => mark.attempt === attempt && mark.outcome === outcome && sameReferences(mark.references, references),
  );
}

/** Same attempt, outcome and reference, and nothing new in the evidence. */
export function receiptAgain(s: Situation<ReceiptCommand>): boolean {
  const evidence = evidenceDigest(s.command.evidence);
  return sameReceipt(s).some((mark) => evidence === undefined || mark.evidence === evidence);
}

export const receiptAgainOtherEvidence = (s: Situation<ReceiptCommand>): boolean => sameReceipt(s).length > 0;

/** The release is of the current attempt. */
const ofCurrentClaim = ({ action, command: { claim } }: Situation<ReleaseCommand>): boolean =>
  action !== null &&
  ('attempt' in claim
    ? claim.attempt === action.attempt
    : claim.callId === action.callId && claim.callPosition === action.callPosition);

export const releasedBefore = (s: Situation<ReleaseCommand>): boolean =>
  ofCurrentClaim(s) &&
  s.action?.receipts.some((mark) => mark.attempt === s.action?.attempt && mark.outcome === 'released') === true;

/** *Not sent* cannot be said of an attempt that was confirmed, also where an override took the confirmation back. */
export const releasable = (s: Situation<ReleaseCommand>): boolean =>
  ofCurrentClaim(s) &&
  s.action?.unresolved.includes(s.action.attempt) === true &&
  !s.action.receipts.some((mark) => mark.attempt === s.action?.attempt && mark.outcome === 'confirmed');

export const otherAttemptsUnresolved = ({ action }: Situation<ReleaseCommand>): boolean =>
  action?.unresolved.some((attempt) => attempt !== action.attempt) === true;

export const heldBy = ({ action, command }: Situation<AbandonCommand>): boolean =>
  action?.holderId === command.holderId;
