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

export interface LoggedAsk extends EventAsk {
  workspace_no: number;
  id: string;
  attempt: number;
}

export async function logEventClaims(
  database: Database,
  asks: readonly LoggedAsk[],
): Promise<{ deliveries: number; firstSeenAt: number }[]> {
  const answers: { deliveries: number; firstSeenAt: number }[] = [];
  if (asks.length === 0) return answers;
  const { rows } = await database.query<{ ord: number; deliveries: number; first_seen_at: number }>(LOG, [
    JSON.stringify(asks.map((ask, ord) => ({ ...ask, ord }))),
  ]);
  for (const row of rows) answers[row.ord] = { deliveries: row.deliveries, firstSeenAt: row.first_seen_at };
  return answers;
}
