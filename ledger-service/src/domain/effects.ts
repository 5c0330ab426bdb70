import { type Action, type Contradiction, MAX_RECEIPT_MARKS, type OpenItem, type ReceiptMark } from './action';
import {
  type AbandonCommand,
  type ClaimCommand,
  type HeartbeatCommand,
  type OverrideCommand,
  type ReceiptCommand,
  type ReconcileCommand,
  type RegisterCommand,
  type ReleaseCommand,
} from './commands';
import { keyEndsAt } from './conditions';
import { type Change, type Schedule, type Situation } from './decision';
import { evidenceDigest } from './fingerprint';
import { referenceSet } from './reference-set';
import { type StoredState } from './states';

const HOUR = 3_600_000;

/** The action of a situation whose row says that there is one. */
export function existing(s: Situation): Action {
  if (s.action === null) throw new Error(`${s.command.kind} was decided on an action that does not exist`);
  return s.action;
}

function dueAt(schedule: Schedule, now: number, before = now): number {
  const { due } = schedule;
  const at = due === undefined ? before : 'at' in due ? due.at : now + due.inMs;
  return Math.max(Math.min(at, schedule.notAfter ?? Infinity), schedule.notBefore ?? -Infinity);
}

/** Puts an action into a state: the one place where state, since, open item and history number move together. */
function move(
  s: Situation,
  to: StoredState,
  kind: string,
  changes: Partial<Action>,
  {
    facts = {},
    details = null,
    schedule,
    attempt,
    contradiction,
  }: {
    facts?: Record<string, unknown>;
    details?: unknown;
    schedule?: Schedule;
    attempt?: number;
    contradiction?: Contradiction | undefined;
  } = {},
): Change {
  const action = { ...existing(s), ...changes };
  const from = s.action?.no === 0 && s.action.historySeq === 0 ? 'none' : existing(s).state;
  if (contradiction !== undefined && !action.contradictions.includes(contradiction)) {
    action.contradictions = [...action.contradictions, contradiction];
  }
  const next: Action = {
    ...action,
    state: to,
    since: to === from ? action.since : s.now,
    historySeq: action.historySeq + 1,
    open: openAfter(s, to, action.open, changes.open, schedule),
  };
  return {
    next,
    entry: {
      kind,
      from,
      to,
      attempt: attempt ?? next.attempt,
      facts: contradiction === undefined ? facts : { ...facts, contradiction },
      details,
    },
    ...(schedule === undefined ? {} : { schedule }),
    ...(contradiction === undefined ? {} : { contradiction }),
  };
}

function openAfter(
  s: Situation,
  to: StoredState,
  before: OpenItem | null,
  given: OpenItem | null | undefined,
  schedule: Schedule | undefined,
): OpenItem | null {
  if (to === 'confirmed') return null;
  if (schedule === undefined) return given === undefined ? before : given;
  return {
    dueAt: dueAt(schedule, s.now, before?.dueAt),
    settleFrom:
      schedule.settleFrom === undefined ? (before?.settleFrom ?? null) : Math.max(s.now, schedule.settleFrom),
    reviewBy: schedule.reviewInMs === undefined ? (before?.reviewBy ?? null) : s.now + schedule.reviewInMs,
    owner: given === undefined ? (before?.owner ?? null) : (given?.owner ?? null),
    holder: to === 'in_progress' ? (given?.holder ?? before?.holder ?? null) : null,
  };
}

/** Unknown is looked at from now on, and overdue after the operation's time to review. */
function review(s: Situation): Schedule {
  const action = existing(s);
  const leaseEnd = action.state === 'in_progress' ? (action.open?.dueAt ?? 0) : 0;
  // What is unknown already keeps its clock: saying so again does not put the review off.
  if (action.state === 'unknown') return { settleFrom: 0 };
  return { due: { inMs: 0 }, reviewInMs: s.policy.reviewHours * HOUR, settleFrom: leaseEnd };
}
/** Pending and claimable failed actions are shown when nobody came back for them. */
const comeBack = (s: Situation): Schedule => ({
  due: { inMs: s.policy.reviewHours * HOUR },
  reviewInMs: s.policy.reviewHours * HOUR,
});

/** Filled in by the schedule of the change. */
const UNSCHEDULED: OpenItem = { dueAt: 0, reviewBy: null, settleFrom: null, owner: null, holder: null };

const without = (attempts: readonly number[], attempt: number): number[] => attempts.filter((one) => one !== attempt);

/** What a key is before anything is known of it. */
export function unborn(s: Situation<ClaimCommand | RegisterCommand>): Action {
  return {
    workspaceNo: s.workspaceNo,
    id: s.actionId,
    no: 0,
    revision: 0,
    key: s.command.key,
    operationNo: s.operationNo,
    state: 'pending',
    since: s.now,
    createdAt: s.now,
    attempt: 0,
    historySeq: 0,
    claimedFrom: 'pending',
    leaseMs: 0,
    secret: s.randomUuid(),
    callId: null,
    callPosition: 0,
    holderId: null,
    testRun: false,
    idempotencyKey: null,
    keyClaimedAt: null,
    keyWindowMs: null,
    keyAttempts: 0,
    rotateKey: false,
    unresolved: [],
    failedReceipts: 0,
    fingerprint: null,
    effectSeen: false,
    receipts: [],
    references: [],
    confirmedAttempt: null,
    contradictions: [],
    cause: null,
    open: null,
  };
}

export function register(s: Situation<RegisterCommand>): Change {
  const born = { ...s, action: unborn(s) };
  const back = comeBack(s);
  return move(
    born,
    'pending',
    'registered',
    { fingerprint: s.command.fingerprint },
    {
      details: s.command.details ?? null,
      schedule: s.command.dueAt === null ? back : { ...back, due: { at: s.command.dueAt } },
    },
  );
}

/** Details that come first with a later call are stored then. */
export function storeDetails(s: Situation<ClaimCommand | RegisterCommand>): Change {
  return move(
    s,
    existing(s).state,
    'details_recorded',
    { fingerprint: s.command.fingerprint },
    { details: s.command.details ?? null },
  );
}

export function leaseMsOf(s: Situation<ClaimCommand>): number {
  return s.command.leaseMs ?? s.policy.leaseSeconds * 1000;
}

/** A new attempt: the next fencing number, its lease, and the idempotency key that its call to the destination carries. */
export function grant(s: Situation<ClaimCommand>): Change {
  const { command, policy } = s;
  const action = s.action ?? unborn(s);
  const repeat = s.action?.state === 'unknown';
  const leaseMs = leaseMsOf(s);
  const attempt = action.attempt + 1;
  const newKey = action.idempotencyKey === null || action.rotateKey;
  const fingerprintNow = action.fingerprint ?? command.fingerprint;
  const idempotencyKey = newKey ? s.randomUuid() : action.idempotencyKey;
  // What a later repeat may rest on is recorded with the first attempt under the key and not changed afterwards.
  const repeatable =
    policy.safeRepeat &&
    policy.destinationIdempotency === 'key' &&
    policy.destinationWindowSeconds !== null &&
    command.sendsIdempotencyKey &&
    fingerprintNow !== null;
  const keyWindowMs = newKey ? (repeatable ? (policy.destinationWindowSeconds ?? 0) * 1000 : null) : action.keyWindowMs;
  const keyClaimedAt = newKey ? s.now : action.keyClaimedAt;
  const endsAt = repeat ? keyEndsAt({ keyClaimedAt, keyWindowMs }) : null;
  const schedule: Schedule = {
    due: { inMs: leaseMs },
    ...(endsAt === null ? {} : { notAfter: endsAt, mustFit: true }),
  };
  return move(
    { ...s, action },
    'in_progress',
    repeat ? 'repeated' : 'claimed',
    {
      attempt,
      claimedFrom: action.state,
      leaseMs,
      callId: command.callId,
      callPosition: command.callPosition,
      holderId: command.holderId,
      testRun: command.holder?.mode === 'manual',
      idempotencyKey,
      keyClaimedAt,
      keyWindowMs,
      keyAttempts: newKey ? 1 : action.keyAttempts + 1,
      rotateKey: false,
      unresolved: [...action.unresolved, attempt],
      fingerprint: fingerprintNow,
      open: { ...UNSCHEDULED, owner: action.open?.owner ?? null, holder: command.holder },
    },
    {
      facts: {
        leaseMs,
        idempotencyKey,
        ...(command.holder === null ? {} : { holder: command.holder }),
        ...(command.event === null ? {} : { event: command.event }),
      },
      details: command.fingerprint !== null && action.fingerprint === null ? command.details : null,
      schedule,
    },
  );
}

/** The same call again: nothing changes, but it is written, so that its commit proves what it repeats to be durable. */
export function touch(s: Situation): Change {
  return { next: existing(s), entry: null };
}

export function extend(s: Situation<HeartbeatCommand>): Change {
  const action = existing(s);
  const endsAt = action.claimedFrom === 'unknown' ? keyEndsAt(action) : null;
  const schedule: Schedule = {
    due: { inMs: action.leaseMs },
    ...(action.open === null ? {} : { notBefore: action.open.dueAt }),
    ...(endsAt === null ? {} : { notAfter: endsAt }),
  };
  const open = action.open === null ? null : { ...action.open, dueAt: dueAt(schedule, s.now) };
  return { next: { ...action, open }, entry: null, schedule };
}

export function endLease(s: Situation): Change {
  return existing(s).effectSeen ? confirmSeen(s, 'lease_expired') : toUnknown(s, 'lease_expired', 'lease_expired');
}

export function abandon(s: Situation<AbandonCommand>): Change {
  const { cause } = s.command;
  return existing(s).effectSeen ? confirmSeen(s, 'abandoned') : toUnknown(s, 'abandoned', cause);
}

function toUnknown(s: Situation, kind: string, cause: string): Change {
  return move(s, 'unknown', kind, { cause }, { facts: { cause }, schedule: review(s) });
}

/** The effect of an older attempt was seen: whatever ends the newer one, the action is confirmed. */
function confirmSeen(s: Situation, kind: string): Change {
  return move(s, 'confirmed', kind, { effectSeen: false, cause: null }, { facts: { effectSeen: true } });
}

export function release(s: Situation<ReleaseCommand>): Change {
  const action = existing(s);
  const unresolved = without(action.unresolved, action.attempt);
  const changes: Partial<Action> = {
    unresolved,
    keyAttempts: Math.max(0, action.keyAttempts - 1),
    receipts: marked(action, { attempt: action.attempt, outcome: 'released', references: [] }),
  };
  if (action.effectSeen) {
    return move(s, 'confirmed', 'released', { ...changes, effectSeen: false }, { facts: { effectSeen: true } });
  }
  // An earlier attempt may still have had its effect: not having sent this one says nothing about that one.
  const to = unresolved.length > 0 ? 'unknown' : action.claimedFrom;
  return move(s, to, 'released', changes, { schedule: to === 'unknown' ? review(s) : comeBack(s) });
}

function marked(action: Action, mark: ReceiptMark): ReceiptMark[] {
  return [...action.receipts, mark].slice(-MAX_RECEIPT_MARKS);
}

function evidenceMark(evidence: unknown): { evidence?: string } {
  const digest = evidenceDigest(evidence);
  return digest === undefined ? {} : { evidence: digest };
}

function receiptParts(s: Situation<ReceiptCommand>): {
  receipts: ReceiptMark[];
  facts: Record<string, unknown>;
  details: unknown;
} {
  const { command } = s;
  const { attempt, outcome, references } = command;
  return {
    receipts: marked(existing(s), { attempt, outcome, references, ...evidenceMark(command.evidence) }),
    facts: { outcome, ...(references.length === 0 ? {} : { references }) },
    details:
      command.evidence === null && command.cause === null ? null : { evidence: command.evidence, cause: command.cause },
  };
}

const withReferences = (action: Action, references: readonly string[]): string[] =>
  referenceSet(null, [...action.references, ...references]);

export function confirm(s: Situation<ReceiptCommand>, contradiction?: Contradiction): Change {
  const { receipts, facts, details } = receiptParts(s);
  const action = existing(s);
  return move(
    s,
    'confirmed',
    'receipt_confirmed',
    {
      receipts,
      references: withReferences(action, s.command.references),
      confirmedAttempt: action.effectSeen ? action.confirmedAttempt : s.command.attempt,
      effectSeen: false,
      cause: null,
    },
    { facts, details, attempt: s.command.attempt, contradiction },
  );
}

/** An older attempt's confirmed receipt while a newer one is under way. */
export function seeEffect(s: Situation<ReceiptCommand>): Change {
  const { receipts, facts, details } = receiptParts(s);
  const action = existing(s);
  return move(
    s,
    'in_progress',
    'receipt_confirmed',
    {
      receipts,
      references: withReferences(action, s.command.references),
      confirmedAttempt: action.confirmedAttempt ?? s.command.attempt,
      effectSeen: true,
    },
    { facts, details, attempt: s.command.attempt, contradiction: 'older_attempt_confirmed' },
  );
}

export function fail(s: Situation<ReceiptCommand>): Change {
  const { receipts, facts, details } = receiptParts(s);
  const action = existing(s);
  return move(
    s,
    'failed',
    'receipt_failed',
    {
      receipts,
      failedReceipts: action.failedReceipts + 1,
      unresolved: without(action.unresolved, s.command.attempt),
      rotateKey: action.keyAttempts === 1,
      cause: 'failed_receipt',
    },
    { facts, details, attempt: s.command.attempt, schedule: comeBack(s) },
  );
}

const CAUSE_CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** A receipt that ends the attempt in *unknown*. `cause` is a code; words are kept in the details. */
export function leaveUnknown(s: Situation<ReceiptCommand>, code: string, contradiction?: Contradiction): Change {
  const { receipts, facts, details } = receiptParts(s);
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
      cause,
      rotateKey: false,
      unresolved: failed ? unresolved : [...unresolved, s.command.attempt],
      failedReceipts: action.failedReceipts + (failed ? 1 : 0),
    },
    { facts: { ...facts, cause: given ?? code }, details, attempt: s.command.attempt, contradiction, schedule: review(s) },
  );
}

/** Kept whatever the answer: a receipt that moves no state. */
export function addEvidence(s: Situation<ReceiptCommand>, contradiction?: Contradiction): Change {
  const { receipts, facts, details } = receiptParts(s);
  const action = existing(s);
  const { outcome, attempt, references } = s.command;
  const resolves = outcome === 'failed' && action.unresolved.includes(attempt) && action.state !== 'confirmed';
  return move(
    s,
    action.state,
    `receipt_${outcome}`,
    {
      receipts,
      ...(outcome === 'confirmed' ? { references: withReferences(action, references) } : {}),
      ...(resolves
        ? { unresolved: without(action.unresolved, attempt), failedReceipts: action.failedReceipts + 1 }
        : {}),
    },
    { facts, details, attempt, contradiction },
  );
}

export function confirmSeenBy(s: Situation<ReceiptCommand>): Change {
  const { receipts, facts, details } = receiptParts(s);
  return move(
    s,
    'confirmed',
    `receipt_${s.command.outcome}`,
    { receipts, effectSeen: false, cause: null },
    { facts: { ...facts, effectSeen: true }, details, attempt: s.command.attempt },
  );
}

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

export function resolveHappened(s: Situation<ReconcileCommand>): Change {
  const action = existing(s);
  return move(
    s,
    'confirmed',
    'reconciled',
    {
      references: withReferences(action, s.command.references),
      confirmedAttempt: action.confirmedAttempt ?? 0,
      unresolved: [],
      cause: null,
    },
    reconcileParts(s),
  );
}

export function resolveNotHappened(s: Situation<ReconcileCommand>): Change {
  // The idempotency key stays: a paused holder may still send under it.
  return move(
    s,
    'failed',
    'reconciled',
    { unresolved: [], rotateKey: false, cause: 'not_happened' },
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
  return move(s, existing(s).state, 'stale_resolution', {}, {
    ...parts,
    facts: { ...parts.facts, fence: s.command.fence },
  });
}

export function override(s: Situation<OverrideCommand>): Change {
  const action = existing(s);
  const { by, secondPerson, reason } = s.command;
  const current = action.attempt > 0 ? [...without(action.unresolved, action.attempt), action.attempt] : [];
  return move(
    s,
    'unknown',
    'overridden',
    // What confirmed it no longer counts; the same receipt sent again is new evidence, not a repetition.
    { receipts: [], confirmedAttempt: null, unresolved: current, cause: 'overridden', rotateKey: false },
    { details: { by, secondPerson, reason }, schedule: review(s) },
  );
}
