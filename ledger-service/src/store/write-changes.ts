import { createHash, randomBytes } from 'node:crypto';

import { type Change } from '../domain/decision';
import { STATE_CODES } from '../domain/states';
import { ms } from './action-row';
import { type Database } from './database';
import { EVENT_PARTS, type EventAsk } from './event-parts';

/**
 * Writes changes to several actions, their history and their open rows: one statement, one transaction, one round trip.
 *
 * - A change is written only if the action is still as it was when the change was decided (`expected` revision; 0 is
 *   *does not exist*), its operation's policy is, and no newer subject version was seen. What is not written is simply
 *   not among the rows that come back; its caller reads and decides again.
 * - Locks are taken in one order by everyone: existing actions by key, then new keys by key, then events by key.
 * - All times come from one reading of the clock after all those locks are held: a lease is never born expired because
 *   its statement waited.
 * - `insist` ends the statement, and so undoes all of it, where a part did not write as many rows as it meant to.
 */
const WRITE = `
WITH settings AS MATERIALIZED (SELECT set_config('lock_timeout', '3s', true) AS lock_timeout),
input AS MATERIALIZED (
  SELECT i.* FROM settings, json_to_recordset($1::json) AS i(
    ord int, workspace_no int, id uuid, expected int, operation_no int, policy_revision int,
    stream_id uuid, stream_value float8,
    account text, subject text, version int,
    state int, moves boolean, attempt int, history_seq int, claimed_from int, lease_ms int, secret uuid, call_id uuid,
    call_position int, holder_id uuid, test_run boolean, idempotency_key uuid, starts_key boolean, key_window_ms bigint,
    key_attempts int, rotate_key boolean, unresolved int[], failed_receipts int, fingerprint text, effect_seen boolean,
    receipts text, effect_references text[], new_references text[], confirmed_attempt int, contradictions text[], cause text,
    open_part text, due_in_ms float8, due_at float8, not_before float8, not_after float8, must_fit boolean,
    review_in_ms float8, review_by float8, settles boolean, settle_from float8, owner text, holder text, open_holder_id uuid,
    kind text, from_state int, entry_attempt int, facts text, body text, salt text, details_digest text,
    event_id uuid, event_source text, event_name text, event_at float8, decision text)
  JOIN action_ledger.operations p ON p.workspace_no = i.workspace_no AND p.no = i.operation_no
   AND (i.policy_revision IS NULL OR p.revision = i.policy_revision)
  WHERE i.stream_id IS NULL OR NOT EXISTS (
    SELECT FROM action_ledger.subject_versions v
    WHERE v.workspace_no = i.workspace_no AND v.id = i.stream_id AND v.value > i.stream_value)
),
locked AS MATERIALIZED (
  SELECT a.workspace_no, a.id FROM input i JOIN action_ledger.actions a ON a.workspace_no = i.workspace_no AND a.id = i.id
  WHERE i.expected > 0 AND a.revision = i.expected
  ORDER BY a.workspace_no, a.id FOR UPDATE OF a
),
inserted AS (
  INSERT INTO action_ledger.actions (
    workspace_no, id, created_at, since, key_claimed_at, key_window_ms, operation_no, version, revision, attempt,
    history_seq, lease_ms, call_position, key_attempts, failed_receipts, confirmed_attempt, state, claimed_from,
    rotate_key, effect_seen, test_run, secret, call_id, holder_id, idempotency_key, account, subject, fingerprint, cause,
    unresolved, effect_references, contradictions, receipts)
  SELECT workspace_no, id, clock_timestamp(), clock_timestamp(), CASE WHEN starts_key THEN clock_timestamp() END,
    key_window_ms, operation_no, version, 1, attempt, history_seq, lease_ms, call_position, key_attempts, failed_receipts,
    confirmed_attempt, state, claimed_from, rotate_key, effect_seen, test_run, secret, call_id, holder_id,
    idempotency_key, account, subject, decode(fingerprint, 'hex'), cause, unresolved, effect_references, contradictions,
    receipts
  FROM input WHERE expected = 0 ORDER BY workspace_no, id
  ON CONFLICT DO NOTHING
  RETURNING workspace_no, id, no
),
clock AS MATERIALIZED (
  SELECT clock_timestamp() AS now
  FROM (SELECT (SELECT count(*) FROM locked) + (SELECT count(*) FROM inserted) AS held OFFSET 0) AS locks
  WHERE locks.held >= 0
),
updated AS (
  UPDATE action_ledger.actions a SET
    revision = a.revision + 1, state = i.state, since = CASE WHEN i.moves THEN c.now ELSE a.since END,
    key_claimed_at = CASE WHEN i.starts_key THEN c.now ELSE a.key_claimed_at END, key_window_ms = i.key_window_ms,
    attempt = i.attempt, history_seq = i.history_seq, claimed_from = i.claimed_from, lease_ms = i.lease_ms,
    call_id = i.call_id, call_position = i.call_position, holder_id = i.holder_id, test_run = i.test_run,
    idempotency_key = i.idempotency_key, key_attempts = i.key_attempts, rotate_key = i.rotate_key,
    unresolved = i.unresolved, failed_receipts = i.failed_receipts, fingerprint = decode(i.fingerprint, 'hex'),
    effect_seen = i.effect_seen, receipts = i.receipts, effect_references = i.effect_references,
    confirmed_attempt = i.confirmed_attempt, contradictions = i.contradictions, cause = i.cause
  FROM locked l JOIN input i ON i.workspace_no = l.workspace_no AND i.id = l.id, clock c
  WHERE a.workspace_no = l.workspace_no AND a.id = l.id AND a.revision = i.expected
    AND (NOT i.must_fit OR c.now + i.due_in_ms * interval '1 ms' <= to_timestamp(i.not_after / 1000))
  RETURNING a.workspace_no, a.id, a.no
),
written AS MATERIALIZED (
  SELECT i.*, w.no, c.now,
    greatest(least(coalesce(c.now + i.due_in_ms * interval '1 ms', to_timestamp(i.due_at / 1000)),
      to_timestamp(i.not_after / 1000)), to_timestamp(i.not_before / 1000)) AS due
  FROM (SELECT * FROM inserted UNION ALL SELECT * FROM updated) w
  JOIN input i ON i.workspace_no = w.workspace_no AND i.id = w.id, clock c
),
opened AS (
  INSERT INTO action_ledger.open_actions AS o (
    workspace_no, id, action_no, since, due_at, review_by, settle_from, operation_no, state, holder_id, owner, holder)
  SELECT workspace_no, id, no, now, due, coalesce(now + review_in_ms * interval '1 ms', to_timestamp(review_by / 1000)),
    CASE WHEN settles THEN greatest(now, to_timestamp(settle_from / 1000)) ELSE to_timestamp(settle_from / 1000) END,
    operation_no, state, open_holder_id, owner, holder
  FROM written WHERE open_part = 'put'
  ON CONFLICT (workspace_no, id) DO UPDATE SET
    since = CASE WHEN o.state = excluded.state THEN o.since ELSE excluded.since END, due_at = excluded.due_at,
    review_by = excluded.review_by, settle_from = excluded.settle_from, state = excluded.state,
    leased_until = CASE WHEN o.state = excluded.state AND excluded.due_at <= o.due_at THEN o.leased_until END,
    holder_id = excluded.holder_id, owner = excluded.owner, holder = excluded.holder
  RETURNING 1
),
closed AS (
  DELETE FROM action_ledger.open_actions o USING written w
  WHERE w.open_part = 'drop' AND o.workspace_no = w.workspace_no AND o.id = w.id
  RETURNING 1
),
chained AS (
  INSERT INTO action_ledger.history (
    workspace_no, action_no, at, seq, attempt, from_state, to_state, kind, facts, details_digest, digest)
  SELECT w.workspace_no, w.no, w.now, w.history_seq, w.entry_attempt, w.from_state, w.state, w.kind, w.facts,
    decode(w.details_digest, 'hex'),
    action_ledger.history_digest(
      CASE WHEN w.history_seq = 1 THEN sha256(uuid_send(w.id)) ELSE h.digest END, w.workspace_no, w.no, w.history_seq,
      w.now, w.kind, w.from_state::smallint, w.state::smallint, w.entry_attempt, decode(w.details_digest, 'hex'), w.facts)
  FROM written w
  LEFT JOIN action_ledger.history h
    ON h.workspace_no = w.workspace_no AND h.action_no = w.no AND h.seq = w.history_seq - 1
  WHERE w.kind IS NOT NULL
  RETURNING 1
),
detailed AS (
  INSERT INTO action_ledger.history_details (workspace_no, action_no, seq, salt, body)
  SELECT workspace_no, no, history_seq, decode(salt, 'hex'), body FROM written WHERE body IS NOT NULL
  RETURNING 1
),
referenced AS (
  INSERT INTO action_ledger.action_references (workspace_no, reference, action_id)
  SELECT w.workspace_no, r.reference, w.id FROM written w, unnest(w.new_references) AS r(reference)
  ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING
  RETURNING 1
),
${EVENT_PARTS},
told AS (
  SELECT pg_notify('action_ledger', string_agg(right(id::text, 17), ' ')) FROM written WHERE moves AND from_state = 2
  HAVING count(*) > 0
)
SELECT w.ord, w.no::float8 AS no, ${ms('w.now')} AS now, ${ms('w.due')} AS due_at,
  e.deliveries::int AS deliveries, ${ms('e.first_seen_at')} AS first_seen_at, (SELECT count(*) FROM told) AS told,
  action_ledger.insist(
    (SELECT count(*) FROM opened) = (SELECT count(*) FROM written WHERE open_part = 'put')
    AND (SELECT count(*) FROM closed) = (SELECT count(*) FROM written WHERE open_part = 'drop')
    AND (SELECT count(*) FROM chained) = (SELECT count(*) FROM written WHERE kind IS NOT NULL)
    AND (SELECT count(*) FROM detailed) = (SELECT count(*) FROM written WHERE body IS NOT NULL), 'a change')
FROM written w LEFT JOIN asked e ON e.ord = w.ord`;

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

export interface Written {
  /** The action's small number. */
  no: number;
  /** The database's clock when all locks were held. */
  now: number;
  dueAt: number | null;
  event: { deliveries: number; firstSeenAt: number } | null;
}

/** Answers, in order, what was written; null where the action had moved on and nothing was. */
export async function writeChanges(database: Database, writes: readonly Write[]): Promise<(Written | null)[]> {
  const results: (Written | null)[] = writes.map(() => null);
  const { rows } = await database.query<{
    ord: number;
    no: number;
    now: number;
    due_at: number | null;
    deliveries: number | null;
    first_seen_at: number | null;
  }>(WRITE, [JSON.stringify(writes.map(recordOf))]);
  for (const row of rows) {
    results[row.ord] = {
      no: row.no,
      now: row.now,
      dueAt: row.due_at,
      event:
        row.deliveries === null || row.first_seen_at === null
          ? null
          : { deliveries: row.deliveries, firstSeenAt: row.first_seen_at },
    };
  }
  return results;
}

/** One change in the shape of the statement's `input`. Absent members are NULL there. */
function recordOf({ change, before, expected, policyRevision, stream, event }: Write, ord: number): object {
  const { next, entry, schedule } = change;
  const { open, key } = next;
  const openPart = open !== null ? 'put' : before !== null && before.state !== STATE_CODES.confirmed ? 'drop' : null;
  const due = schedule?.due;
  return {
    ord,
    workspace_no: next.workspaceNo,
    id: next.id,
    expected,
    operation_no: next.operationNo,
    policy_revision: policyRevision,
    stream_id: stream?.id,
    stream_value: stream?.value,
    account: key.account,
    subject: key.subject,
    version: key.version,
    state: STATE_CODES[next.state],
    moves: before?.state !== STATE_CODES[next.state],
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
    unresolved: next.unresolved,
    failed_receipts: next.failedReceipts,
    fingerprint: next.fingerprint,
    effect_seen: next.effectSeen,
    receipts: JSON.stringify(next.receipts),
    effect_references: next.references,
    new_references: next.references.filter((reference) => before?.references.includes(reference) !== true),
    confirmed_attempt: next.confirmedAttempt,
    contradictions: next.contradictions,
    cause: next.cause,
    open_part: openPart,
    due_in_ms: due !== undefined && 'inMs' in due ? due.inMs : undefined,
    due_at: due === undefined ? open?.dueAt : 'at' in due ? due.at : undefined,
    not_before: schedule?.notBefore,
    not_after: schedule?.notAfter,
    must_fit: schedule?.mustFit ?? false,
    review_in_ms: schedule?.reviewInMs,
    review_by: schedule?.reviewInMs === undefined ? open?.reviewBy : undefined,
    settles: schedule?.settleFrom !== undefined,
    settle_from: schedule?.settleFrom ?? open?.settleFrom,
    owner: open?.owner,
    holder: open?.holder == null ? undefined : JSON.stringify(open.holder),
    open_holder_id: next.state === 'in_progress' ? next.holderId : undefined,
    ...entryOf(entry),
    ...(event === null ? {} : event),
  };
}

function entryOf(entry: Change['entry']): object {
  if (entry === null) return {};
  const body = entry.details === null || entry.details === undefined ? null : JSON.stringify(entry.details);
  const salt = body === null ? null : randomBytes(16);
  return {
    kind: entry.kind,
    from_state: entry.from === 'none' ? 0 : STATE_CODES[entry.from],
    entry_attempt: entry.attempt,
    facts: JSON.stringify(entry.facts),
    body,
    salt: salt?.toString('hex'),
    details_digest:
      salt === null || body === null ? null : createHash('sha256').update(salt).update(body).digest('hex'),
  };
}
