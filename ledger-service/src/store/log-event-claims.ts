import { ms } from './action-row';
import { type Database } from './database';
import { EVENT_PARTS, type EventAsk } from './event-parts';

/** For claims whose answer changed nothing; the events of the others are written with their change. */
const LOG = `
WITH written AS MATERIALIZED (
  SELECT i.*, clock_timestamp() AS now FROM json_to_recordset($1::json) AS i(
    ord int, workspace_no int, id uuid, attempt int, event_id uuid, event_source text, event_name text, event_at float8,
    decision text)
), ${EVENT_PARTS}
SELECT ord, deliveries::int AS deliveries, ${ms('first_seen_at')} AS first_seen_at FROM asked`;

/** For the repetition of a call: what was counted, and nothing more. */
const READ = `
SELECT i.ord, ${ms('e.first_seen_at')} AS first_seen_at, (
  SELECT count(*) FROM action_ledger.event_claims c
  WHERE c.workspace_no = i.workspace_no AND c.action_id = i.id AND c.event_id = i.event_id)::int AS deliveries
FROM json_to_recordset($1::json) AS i(ord int, workspace_no int, id uuid, event_id uuid)
JOIN action_ledger.events e ON e.workspace_no = i.workspace_no AND e.id = i.event_id`;

export interface LoggedAsk {
  ask: EventAsk & { workspace_no: number; id: string; attempt: number };
  /** False where this ask was counted before. */
  count: boolean;
}

export interface EventCount {
  deliveries: number;
  firstSeenAt: number;
}

/** Answers, in order, how often each event has asked for its action. */
export async function logEventClaims(database: Database, asks: readonly LoggedAsk[]): Promise<EventCount[]> {
  const counts: EventCount[] = [];
  for (const [text, counting] of [
    [LOG, true],
    [READ, false],
  ] as const) {
    const chosen = asks.flatMap(({ ask, count }, ord) => (count === counting ? [{ ...ask, ord }] : []));
    if (chosen.length === 0) continue;
    const { rows } = await database.query<{ ord: number; deliveries: number; first_seen_at: number }>(text, [
      JSON.stringify(chosen),
    ]);
    for (const row of rows) counts[row.ord] = { deliveries: row.deliveries, firstSeenAt: row.first_seen_at };
  }
  return counts;
}
