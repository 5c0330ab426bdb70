import { ms } from './action-row';

/** An event that asks for an action, in the shape of a statement's `input`. A type, so that it is a record of columns too. */

export type EventAsk = {
  event_id: string;
  event_source: string;
  event_name: string;
  /** The event's own time, in milliseconds. */
  event_at: number | null;
  /** What it is answered. */
  decision: string;
};

/**
 * The parts of a statement that record which event asked for which action and what it was answered, over a relation
 * `written(ord, workspace_no, id, now, attempt, event_id, event_source, event_name, event_at, decision)`.
 */
export const EVENT_PARTS = `
first_seen AS (
  INSERT INTO action_ledger.events (workspace_no, id, first_seen_at, occurred_at, source, event_id)
  SELECT DISTINCT ON (workspace_no, event_id) workspace_no, event_id, now, to_timestamp(event_at / 1000), event_source,
    event_name
  FROM written WHERE event_id IS NOT NULL ORDER BY workspace_no, event_id
  ON CONFLICT DO NOTHING
),
logged AS (
  INSERT INTO action_ledger.event_claims (workspace_no, action_id, event_id, at, attempt, decision)
  SELECT workspace_no, id, event_id, now, coalesce(attempt, 0), decision FROM written WHERE event_id IS NOT NULL
)`;

/**
 * For the statement's SELECT over `written w`: how often the same event had asked for the same action before, and when
 * it was first seen; NULL without an event.
 */
export const EVENT_COUNT = `
  CASE WHEN w.event_id IS NOT NULL THEN (
    SELECT count(*) FROM action_ledger.event_claims c
    WHERE c.workspace_no = w.workspace_no AND c.action_id = w.id AND c.event_id = w.event_id)::int END AS deliveries,
  CASE WHEN w.event_id IS NOT NULL THEN ${ms(`coalesce((
    SELECT e.first_seen_at FROM action_ledger.events e
    WHERE e.workspace_no = w.workspace_no AND e.id = w.event_id), w.now)`)} END AS first_seen_at`;
