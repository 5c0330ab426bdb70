import { ms } from './action-row';
import { type Database } from './database';
import { EVENT_COUNT, EVENT_PARTS, type EventAsk } from './event-parts';
import { pausePoint } from './pause-point';

/** For claims whose answer changed nothing; the events of the others are written with their change. */
const LOG = `
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
written AS MATERIALIZED (
  SELECT i.*, c.now FROM clock c, json_to_recordset($1::json) AS i(
    ord int, workspace_no int, id uuid, attempt int, event_id uuid, event_source text, event_name text, event_at float8,
    decision text)
), ${EVENT_PARTS}
SELECT w.ord, ${EVENT_COUNT} FROM written w`;

/** For the repetition of a call: what was counted, and nothing more. */
const READ = `
SELECT w.ord, ${ms('e.first_seen_at')} AS first_seen_at, (
  SELECT count(*) FROM action_ledger.event_claims c
  WHERE c.workspace_no = w.workspace_no AND c.action_id = w.id AND c.event_id = w.event_id)::int AS deliveries
FROM json_to_recordset($1::json) AS w(ord int, workspace_no int, id uuid, event_id uuid)
JOIN action_ledger.events e ON e.workspace_no = w.workspace_no AND e.id = w.event_id`;

export interface LoggedAsk {
  ask: EventAsk & { workspace_no: number; id: string; attempt: number };
  /** False where this ask was counted before. */
  count: boolean;
}

export interface EventCount {
  /** How often the event has asked for the action, this time included. */
  deliveries: number;
  firstSeenAt: number;
}

/** Answers, in order, how often each event has asked for its action. */
export async function logEventClaims(database: Database, asks: readonly LoggedAsk[]): Promise<EventCount[]> {
  const counts: EventCount[] = [];
  const read = async (text: string, chosen: readonly object[], earlier: (ord: number) => number): Promise<void> => {
    if (chosen.length === 0) return;
    const { rows } = await database.query<{ ord: number; deliveries: number; first_seen_at: number }>(text, [
      JSON.stringify(chosen),
    ]);
    for (const { ord, deliveries, first_seen_at: firstSeenAt } of rows) {
      counts[ord] = { deliveries: deliveries + earlier(ord), firstSeenAt };
    }
  };
  const numbered = asks.map(({ ask, count }, ord) => ({ ...ask, ord, count }));
  const places = placesOf(asks);
  await read(
    LOG,
    numbered.filter(({ count }) => count),
    (ord) => places[ord] ?? 1,
  );
  await pausePoint('event claims counted');
  await read(
    READ,
    numbered.filter(({ count }) => !count),
    () => 0,
  );
  return counts;
}

/** The how-manieth of its kind each ask is in this list: the statement sees none of its own rows. */
function placesOf(asks: readonly LoggedAsk[]): number[] {
  const seen = new Map<string, number>();
  return asks.map(({ ask, count }) => {
    const kind = `${ask.workspace_no} ${ask.id} ${ask.event_id}`;
    const place = (seen.get(kind) ?? 0) + (count ? 1 : 0);
    seen.set(kind, place);
    return place;
  });
}
