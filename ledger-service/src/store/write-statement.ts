import { ms } from './action-row';
import { COLUMNS, INPUT_TYPES } from './change-record';
import { EVENT_COUNT, EVENT_PARTS } from './event-parts';

/**
 * Writes changes to several actions, their history and their open rows: one statement, one transaction, one round trip.
 *
 * - A change is written only if the action is still as it was when the change was decided (`expected` revision; new ones
 *   must not exist), its operation's policy is, and no newer subject version was seen. What is not written is simply not
 *   among the rows that come back; its caller reads and decides again.
 * - Locks are taken in one order by everyone: existing actions by key, then new keys by key, then events by key.
 * - All times come from one reading of the clock after all those locks are held: a lease is never born expired because
 *   its statement waited.
 * - `insist` ends the statement, and so undoes all of it, where a part did not write as many rows as it meant to.
 *
 * The planner knows nothing of the sizes of arrays, and would join the parts in quadratic time. So they find each other
 * by `no` in hashed subplans: `IN (…)` under OR or IS TRUE is one.
 */
export interface Shape {
  /** Whether any change makes a new action, or changes one that exists. */
  creates: boolean;
  updates: boolean;
  closes: boolean;
  details: boolean;
  references: boolean;
  events: boolean;
}

const INPUT = `
WITH settings AS MATERIALIZED (SELECT set_config('lock_timeout', '3s', true) AS lock_timeout),
input AS MATERIALIZED (
  SELECT ${COLUMNS.map((column) =>
    column === 'no'
      ? `CASE WHEN i.is_new THEN nextval('action_ledger.action_numbers') ELSE i.no END AS no`
      : `i.${column}`,
  ).join(', ')}
  FROM settings, unnest(${COLUMNS.map((column, index) => `$${index + 1}::${INPUT_TYPES[column]}[]`).join(', ')})
    AS i(${COLUMNS.join(', ')})
  WHERE (i.policy_revision IS NULL OR i.policy_revision = (
    SELECT p.revision FROM action_ledger.operations p WHERE p.workspace_no = i.workspace_no AND p.no = i.operation_no))
  AND (i.stream_id IS NULL OR NOT EXISTS (
    SELECT FROM action_ledger.subject_versions v
    WHERE v.workspace_no = i.workspace_no AND v.id = i.stream_id AND v.value > i.stream_value))
)`;

const LOCKED = `
locked AS MATERIALIZED (
  SELECT a.no FROM input i JOIN action_ledger.actions a ON a.workspace_no = i.workspace_no AND a.id = i.id
  WHERE NOT i.is_new AND a.revision = i.expected
  ORDER BY a.workspace_no, a.id FOR UPDATE OF a
)`;

const INSERTED = `
inserted AS MATERIALIZED (
  INSERT INTO action_ledger.actions (
    workspace_no, id, no, created_at, since, key_claimed_at, key_window_ms, operation_no, version, revision, attempt,
    history_seq, lease_ms, call_position, key_attempts, failed_receipts, confirmed_attempt, state, claimed_from,
    rotate_key, effect_seen, test_run, secret, call_id, holder_id, idempotency_key, account, subject, fingerprint, cause,
    unresolved, effect_references, contradictions, receipts)
  SELECT workspace_no, id, no, clock_timestamp(), clock_timestamp(), CASE WHEN starts_key THEN clock_timestamp() END,
    key_window_ms, operation_no, version, 1, attempt, history_seq, lease_ms, call_position, key_attempts, failed_receipts,
    confirmed_attempt, state, claimed_from, rotate_key, effect_seen, test_run, secret, call_id, holder_id,
    idempotency_key, account, subject, decode(fingerprint, 'hex'), cause, unresolved::int[], effect_references::text[],
    contradictions::text[], receipts
  FROM input WHERE is_new ORDER BY workspace_no, id
  ON CONFLICT DO NOTHING
  RETURNING no
)`;

const clock = (held: string): string => `
clock AS MATERIALIZED (
  SELECT clock_timestamp() AS now FROM (SELECT ${held} AS held OFFSET 0) AS locks WHERE locks.held >= 0
)`;

const UPDATED = `
updated AS MATERIALIZED (
  UPDATE action_ledger.actions a SET
    revision = a.revision + 1, state = i.state, since = CASE WHEN i.moves THEN c.now ELSE a.since END,
    key_claimed_at = CASE WHEN i.starts_key THEN c.now ELSE a.key_claimed_at END, key_window_ms = i.key_window_ms,
    attempt = i.attempt, history_seq = i.history_seq, claimed_from = i.claimed_from, lease_ms = i.lease_ms,
    call_id = i.call_id, call_position = i.call_position, holder_id = i.holder_id, test_run = i.test_run,
    idempotency_key = i.idempotency_key, key_attempts = i.key_attempts, rotate_key = i.rotate_key,
    unresolved = i.unresolved::int[], failed_receipts = i.failed_receipts, fingerprint = decode(i.fingerprint, 'hex'),
    effect_seen = i.effect_seen, receipts = i.receipts, effect_references = i.effect_references::text[],
    confirmed_attempt = i.confirmed_attempt, contradictions = i.contradictions::text[], cause = i.cause
  FROM input i, clock c
  WHERE a.workspace_no = i.workspace_no AND a.id = i.id AND a.revision = i.expected
    AND (i.no IN (SELECT no FROM locked)) IS TRUE
    AND (NOT i.must_fit OR c.now + i.due_in_ms * interval '1 ms' <= to_timestamp(i.not_after / 1000))
  RETURNING a.no
)`;

const written = (from: string): string => `
written AS MATERIALIZED (
  SELECT i.*, c.now,
    greatest(least(coalesce(c.now + i.due_in_ms * interval '1 ms', to_timestamp(i.due_at / 1000)),
      to_timestamp(i.not_after / 1000)), to_timestamp(i.not_before / 1000)) AS due,
    coalesce(c.now + i.review_in_ms * interval '1 ms', to_timestamp(i.review_by / 1000)) AS review_at,
    CASE WHEN i.settles THEN greatest(c.now, to_timestamp(i.settle_from / 1000))
      ELSE to_timestamp(i.settle_from / 1000) END AS settles_at
  FROM input i, clock c WHERE (${from}) IS TRUE
)`;

const OPENED = `
opened AS (
  INSERT INTO action_ledger.open_actions AS o (
    workspace_no, id, action_no, since, due_at, review_by, settle_from, operation_no, state, holder_id, owner, holder)
  SELECT workspace_no, id, no, CASE WHEN moves THEN now ELSE to_timestamp(since / 1000) END, due,
    review_at, settles_at, operation_no, state, open_holder_id, owner, holder
  FROM written WHERE opens
  ON CONFLICT (workspace_no, id) DO UPDATE SET
    since = CASE WHEN o.state = excluded.state THEN o.since ELSE excluded.since END, due_at = excluded.due_at,
    review_by = excluded.review_by, settle_from = excluded.settle_from, state = excluded.state,
    leased_until = CASE WHEN o.state = excluded.state AND excluded.due_at <= o.due_at THEN o.leased_until END,
    holder_id = excluded.holder_id, owner = excluded.owner, holder = excluded.holder
  RETURNING 1
)`;

const CLOSED = `
closed AS (
  DELETE FROM action_ledger.open_actions o USING written w
  WHERE w.closes AND o.workspace_no = w.workspace_no AND o.id = w.id
  RETURNING 1
)`;

const CHAINED = `
chained AS (
  INSERT INTO action_ledger.history (
    workspace_no, action_no, at, seq, attempt, from_state, to_state, kind, facts, details_digest, digest)
  SELECT w.workspace_no, w.no, w.now, w.history_seq, w.entry_attempt, w.from_state, w.state, w.kind, w.facts,
    decode(w.details_digest, 'hex'),
    action_ledger.history_digest(
      CASE WHEN w.history_seq = 1 THEN sha256(uuid_send(w.id)) ELSE (
        SELECT h.digest FROM action_ledger.history h
        WHERE h.workspace_no = w.workspace_no AND h.action_no = w.no AND h.seq = w.history_seq - 1) END,
      w.workspace_no, w.no, w.history_seq, w.now, w.kind, w.from_state, w.state, w.entry_attempt,
      decode(w.details_digest, 'hex'), w.facts)
  FROM written w WHERE w.kind IS NOT NULL
  RETURNING 1
)`;

const DETAILED = `
detailed AS (
  INSERT INTO action_ledger.history_details (workspace_no, action_no, seq, salt, body, operation_no, recorded_at)
  SELECT workspace_no, no, history_seq, decode(salt, 'hex'), body, operation_no, now FROM written WHERE body IS NOT NULL
  RETURNING 1
)`;

const REFERENCED = `
referenced AS (
  INSERT INTO action_ledger.action_references (workspace_no, reference, action_id)
  SELECT w.workspace_no, r.reference, w.id FROM written w, unnest(w.new_references::text[]) AS r(reference)
  ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING
)`;

/** Wakes those who wait for an outcome, in this and other replicas; a notification a batch. */
const TOLD = `
told AS (
  SELECT pg_notify('action_ledger', string_agg(right(id::text, 17), ' ')) FROM written WHERE moves AND from_state = 2
  HAVING count(*) > 0
)`;

const sameCount = (part: string, condition: string): string =>
  `(SELECT count(*) FROM ${part}) = (SELECT count(*) FROM written WHERE ${condition})`;

function compose({ creates, updates, closes, details, references, events }: Shape): string {
  const sources = [...(creates ? ['inserted'] : []), ...(updates ? ['updated'] : [])];
  const locks = [...(updates ? ['locked'] : []), ...(creates ? ['inserted'] : [])];
  const parts = [
    INPUT,
    ...(updates ? [LOCKED] : []),
    ...(creates ? [INSERTED] : []),
    clock(locks.map((part) => `(SELECT count(*) FROM ${part})`).join(' + ')),
    ...(updates ? [UPDATED] : []),
    written(sources.map((part) => `i.no IN (SELECT no FROM ${part})`).join(' OR ')),
    OPENED,
    ...(closes ? [CLOSED] : []),
    CHAINED,
    ...(details ? [DETAILED] : []),
    ...(references ? [REFERENCED] : []),
    ...(events ? [EVENT_PARTS] : []),
    ...(updates ? [TOLD] : []),
  ];
  const meant = [
    sameCount('opened', 'opens'),
    sameCount('chained', 'kind IS NOT NULL'),
    ...(closes ? [sameCount('closed', 'closes')] : []),
    ...(details ? [sameCount('detailed', 'body IS NOT NULL')] : []),
  ];
  return `${parts.join(',')}
SELECT w.ord, w.no::float8 AS no, ${ms('w.now')} AS now, ${ms('w.due')} AS due_at,
  ${ms('w.review_at')} AS review_at, ${ms('w.settles_at')} AS settles_at,
  ${events ? EVENT_COUNT : 'NULL::int AS deliveries, NULL::float8 AS first_seen_at'},
  ${updates ? '(SELECT count(*) FROM told) AS told,' : ''}
  (SELECT action_ledger.insist(${meant.join(' AND ')}, 'a change'))
FROM written w`;
}

const statements = new Map<string, string>();

/** The statement for changes of this shape, and the name that it may be prepared under. */
export function writeStatement(shape: Shape): { name: string; text: string } {
  const name = `al_write_${Object.values(shape).map(Number).join('')}`;
  let text = statements.get(name);
  if (text === undefined) {
    text = compose(shape);
    statements.set(name, text);
  }
  return { name, text };
}
