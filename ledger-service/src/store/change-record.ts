import { createHash, randomBytes } from 'node:crypto';

import { type Change } from '../domain/decision';
import { STATE_CODES } from '../domain/states';
import { arrayLiteral } from './array-literal';
import { type EventAsk } from './event-parts';

/** A change and what it was decided on. */
export interface Write {
  change: Change;
  /** What was there before; null for a new action. */
  before: { state: number; references: readonly string[]; idempotencyKey: string | null } | null;
  /** The action's revision that was read; 0 where there was none. */
  expected: number;
  policyRevision: number | null;
  /** The claim's place in its stream, which must still be the newest. */
  stream: { id: string; value: number } | null;
  event: EventAsk | null;
}

/** The columns of the statement's `input`, one array each. Lists travel as text, since arrays of arrays must not be ragged. */
export const INPUT_TYPES = {
  ord: 'int',
  is_new: 'boolean',
  workspace_no: 'int',
  id: 'uuid',
  no: 'bigint',
  expected: 'int',
  operation_no: 'int',
  policy_revision: 'int',
  stream_id: 'uuid',
  stream_value: 'float8',
  account: 'text',
  subject: 'text',
  version: 'int',
  state: 'smallint',
  moves: 'boolean',
  since: 'float8',
  attempt: 'int',
  history_seq: 'int',
  claimed_from: 'smallint',
  lease_ms: 'int',
  secret: 'uuid',
  call_id: 'uuid',
  call_position: 'int',
  holder_id: 'uuid',
  test_run: 'boolean',
  idempotency_key: 'uuid',
  starts_key: 'boolean',
  key_window_ms: 'bigint',
  key_attempts: 'int',
  rotate_key: 'boolean',
  unresolved: 'text',
  failed_receipts: 'int',
  fingerprint: 'text',
  effect_seen: 'boolean',
  receipts: 'text',
  effect_references: 'text',
  new_references: 'text',
  confirmed_attempt: 'int',
  contradictions: 'text',
  cause: 'text',
  opens: 'boolean',
  closes: 'boolean',
  due_in_ms: 'float8',
  due_at: 'float8',
  not_before: 'float8',
  not_after: 'float8',
  must_fit: 'boolean',
  review_in_ms: 'float8',
  review_by: 'float8',
  settles: 'boolean',
  settle_from: 'float8',
  owner: 'text',
  holder: 'text',
  open_holder_id: 'uuid',
  kind: 'text',
  from_state: 'smallint',
  entry_attempt: 'int',
  facts: 'text',
  body: 'text',
  salt: 'text',
  details_digest: 'text',
  event_id: 'uuid',
  event_source: 'text',
  event_name: 'text',
  event_at: 'float8',
  decision: 'text',
} as const;

export type Column = keyof typeof INPUT_TYPES;
export const COLUMNS = Object.keys(INPUT_TYPES) as Column[];

/** One change, column by column. Absent members are NULL. */
export type ChangeRecord = Partial<Record<Column, string | number | boolean | null>>;

export function changeRecord(
  { change, before, expected, policyRevision, stream, event }: Write,
  ord: number,
): ChangeRecord {
  const { next, entry, schedule } = change;
  const { open, key } = next;
  const due = schedule?.due;
  const wasOpen = before !== null && before.state !== STATE_CODES.confirmed;
  const newReferences = next.references.filter((reference) => before?.references.includes(reference) !== true);
  return {
    ord,
    is_new: expected === 0,
    workspace_no: next.workspaceNo,
    id: next.id,
    no: expected === 0 ? null : next.no,
    expected,
    operation_no: next.operationNo,
    policy_revision: policyRevision,
    stream_id: stream?.id ?? null,
    stream_value: stream?.value ?? null,
    account: key.account,
    subject: key.subject,
    version: key.version,
    state: STATE_CODES[next.state],
    moves: before?.state !== STATE_CODES[next.state],
    since: next.since,
    attempt: next.attempt,
    history_seq: next.historySeq,
    claimed_from: STATE_CODES[next.claimedFrom],
    lease_ms: next.leaseMs,
    secret: next.secret,
    call_id: next.callId,
    call_position: next.callPosition,
    holder_id: next.holderId,
    test_run: next.testRun,
    idempotency_key: next.idempotencyKey,
    starts_key: next.idempotencyKey !== null && next.idempotencyKey !== (before?.idempotencyKey ?? null),
    key_window_ms: next.keyWindowMs,
    key_attempts: next.keyAttempts,
    rotate_key: next.rotateKey,
    unresolved: arrayLiteral(next.unresolved),
    failed_receipts: next.failedReceipts,
    fingerprint: next.fingerprint,
    effect_seen: next.effectSeen,
    receipts: JSON.stringify(next.receipts),
    effect_references: arrayLiteral(next.references),
    new_references: newReferences.length === 0 ? null : arrayLiteral(newReferences),
    confirmed_attempt: next.confirmedAttempt,
    contradictions: arrayLiteral(next.contradictions),
    cause: next.cause,
    opens: open !== null,
    closes: open === null && wasOpen,
    due_in_ms: due !== undefined && 'inMs' in due ? due.inMs : null,
    due_at: due === undefined ? (open?.dueAt ?? null) : 'at' in due ? due.at : null,
    not_before: schedule?.notBefore ?? null,
    not_after: schedule?.notAfter ?? null,
    must_fit: schedule?.mustFit ?? false,
    review_in_ms: schedule?.reviewInMs ?? null,
    review_by: schedule?.reviewInMs === undefined ? (open?.reviewBy ?? null) : null,
    settles: schedule?.settleFromWrite ?? false,
    settle_from: schedule?.settleFrom ?? open?.settleFrom ?? null,
    owner: open?.owner ?? null,
    holder: open?.holder == null ? null : JSON.stringify(open.holder),
    open_holder_id: next.state === 'in_progress' ? next.holderId : null,
    ...entryRecord(entry),
    ...(event ?? {}),
  };
}

function entryRecord(entry: Change['entry']): ChangeRecord {
  if (entry === null) return {};
  const body = entry.details === null || entry.details === undefined ? null : JSON.stringify(entry.details);
  const salt = body === null ? null : randomBytes(16);
  return {
    kind: entry.kind,
    from_state: entry.from === 'none' ? 0 : STATE_CODES[entry.from],
    entry_attempt: entry.attempt,
    facts: JSON.stringify(entry.facts),
    body,
    salt: salt?.toString('hex') ?? null,
    details_digest:
      salt === null || body === null ? null : createHash('sha256').update(salt).update(body).digest('hex'),
  };
}
