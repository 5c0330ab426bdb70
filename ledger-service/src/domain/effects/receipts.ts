import { type Action, type Contradiction, type ReceiptMark } from '../action';
import { type ReceiptCommand } from '../commands';
import { lastSaid, lastSaidByHolder } from '../conditions';
import { type Change, type Situation } from '../decision';
import { evidenceDigest } from '../fingerprint';
import { withReferences } from '../reference-set';
import { comeBack, existing, marked, move, review, without } from './move';

function evidenceMark(evidence: unknown): { evidence?: string } {
  const digest = evidenceDigest(evidence);
  return digest === undefined ? {} : { evidence: digest };
}

function receiptParts(s: Situation<ReceiptCommand>): {
  receipts: ReceiptMark[];
  keyAttempts: number;
  rotateKey: boolean;
  facts: Record<string, unknown>;
  details: unknown;
} {
  const { command } = s;
  const { attempt, outcome, references } = command;
  const action = existing(s);
  // A receipt of an attempt that was released: it was sent after all, and the key stays.
  const sentAfterAll = lastSaidByHolder(action, attempt) === 'released';
  return {
    keyAttempts: action.keyAttempts + (sentAfterAll ? 1 : 0),
    // Nor does it change when the failed attempt's last word is another one again.
    rotateKey: action.rotateKey && !sentAfterAll && (outcome === 'failed' || attempt !== action.attempt),
    receipts: marked(action, { attempt, outcome, references, ...evidenceMark(command.evidence) }),
    facts: { outcome, ...(references.length === 0 ? {} : { references }) },
    details:
      command.evidence === null && command.cause === null ? null : { evidence: command.evidence, cause: command.cause },
  };
}

export function confirm(s: Situation<ReceiptCommand>, contradiction?: Contradiction): Change {
  const { receipts, keyAttempts, facts, details } = receiptParts(s);
  const action = existing(s);
  return move(
    s,
    'confirmed',
    'receipt_confirmed',
    {
      receipts,
      keyAttempts,
      references: withReferences(action.references, s.command.references),
      confirmedAttempt: action.effectSeen ? action.confirmedAttempt : s.command.attempt,
      effectSeen: false,
      cause: null,
    },
    { facts, details, attempt: s.command.attempt, contradiction },
  );
}

/** An older attempt's confirmed receipt while a newer one is under way. */
export function seeEffect(s: Situation<ReceiptCommand>): Change {
  const { receipts, keyAttempts, facts, details } = receiptParts(s);
  const action = existing(s);
  return move(
    s,
    'in_progress',
    'receipt_confirmed',
    {
      receipts,
      keyAttempts,
      references: withReferences(action.references, s.command.references),
      confirmedAttempt: action.confirmedAttempt ?? s.command.attempt,
      effectSeen: true,
    },
    { facts, details, attempt: s.command.attempt, contradiction: 'older_attempt_confirmed' },
  );
}

export function fail(s: Situation<ReceiptCommand>): Change {
  const { receipts, keyAttempts, facts, details } = receiptParts(s);
  const action = existing(s);
  return move(
    s,
    'failed',
    'receipt_failed',
    {
      receipts,
      keyAttempts,
      failedReceipts: action.failedReceipts + 1,
      unresolved: without(action.unresolved, s.command.attempt),
      rotateKey: keyAttempts === 1,
      cause: 'failed_receipt',
    },
    { facts, details, attempt: s.command.attempt, schedule: comeBack(s) },
  );
}

const CAUSE_CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** A receipt that ends the attempt in *unknown*. `cause` is a code; words are kept in the details. */
export function leaveUnknown(s: Situation<ReceiptCommand>, code: string, contradiction?: Contradiction): Change {
  const { receipts, keyAttempts, facts, details } = receiptParts(s);
  const action = existing(s);
  const given = s.command.outcome === 'unknown' && CAUSE_CODE.test(s.command.cause ?? '') ? s.command.cause : null;
  const cause = action.state === 'unknown' ? action.cause : (given ?? code);
  const failed = s.command.outcome === 'failed' && contradiction !== 'repeated_by_retry';
  const unresolved = without(action.unresolved, s.command.attempt);
  return move(
    s,
    'unknown',
    `receipt_${s.command.outcome}`,
    {
      receipts,
      keyAttempts,
      cause,
      rotateKey: false,
      unresolved: failed ? unresolved : [...unresolved, s.command.attempt],
      failedReceipts: action.failedReceipts + (failed ? 1 : 0),
    },
    {
      facts: { ...facts, cause: given ?? code },
      details,
      attempt: s.command.attempt,
      contradiction,
      schedule: review(s),
    },
  );
}

/**
 * Kept whatever the answer: a receipt that moves no state. A failed one says how its own attempt ended; an unknown one
 * that takes back what was said of its attempt (failed, not sent) opens it again.
 */
export function addEvidence(s: Situation<ReceiptCommand>, contradiction?: Contradiction): Change {
  const action = existing(s);
  const { outcome, attempt } = s.command;
  const { unresolved, failedReceipts } = action;
  if (outcome === 'failed' && unresolved.includes(attempt) && action.state !== 'confirmed') {
    return keepEvidence(
      s,
      { unresolved: without(unresolved, attempt), failedReceipts: failedReceipts + 1 },
      contradiction,
    );
  }
  const takenBack = takenBackBy(s);
  if (takenBack === undefined) return keepEvidence(s, {}, contradiction);
  return keepEvidence(s, { unresolved: [...without(unresolved, attempt), attempt] }, takenBack);
}

export const takenBackBy = (s: Situation<ReceiptCommand>): Contradiction | undefined =>
  s.command.outcome === 'unknown' ? TAKEN_BACK[lastSaid(existing(s), s.command.attempt) ?? 'unknown'] : undefined;

const TAKEN_BACK: Partial<Record<ReceiptMark['outcome'], Contradiction>> = {
  failed: 'unknown_after_failed',
  released: 'unknown_after_released',
};

/** The same receipt with other evidence: it was said before, and says nothing new of the attempt. */
export function addMoreEvidence(s: Situation<ReceiptCommand>, contradiction?: Contradiction): Change {
  return keepEvidence(s, {}, contradiction);
}

function keepEvidence(s: Situation<ReceiptCommand>, changes: Partial<Action>, contradiction?: Contradiction): Change {
  const { receipts, keyAttempts, rotateKey, facts, details } = receiptParts(s);
  const action = existing(s);
  const { outcome, attempt, references } = s.command;
  return move(
    s,
    action.state,
    `receipt_${outcome}`,
    {
      ...changes,
      receipts,
      keyAttempts,
      rotateKey,
      ...(outcome === 'confirmed' ? { references: withReferences(action.references, references) } : {}),
    },
    { facts, details, attempt, contradiction },
  );
}

export function confirmSeenBy(s: Situation<ReceiptCommand>): Change {
  const { receipts, keyAttempts, facts, details } = receiptParts(s);
  return move(
    s,
    'confirmed',
    `receipt_${s.command.outcome}`,
    { receipts, keyAttempts, effectSeen: false, cause: null },
    { facts: { ...facts, effectSeen: true }, details, attempt: s.command.attempt },
  );
}
