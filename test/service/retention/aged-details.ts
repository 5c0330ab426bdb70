import { type OpenLedger } from '../store/open-ledger';

const DAY_SECONDS = 86_400;

/** Makes the details of these subjects older, by plain SQL; all of the ledger's where none is named. */
export async function age(open: OpenLedger, days: number, subjects?: readonly string[]): Promise<void> {
  await open.sql.query(
    `UPDATE action_ledger.history_details d SET recorded_at = recorded_at - $1 * interval '1 second'
     FROM action_ledger.actions a WHERE a.workspace_no = d.workspace_no AND a.no = d.action_no
       AND ($2::text[] IS NULL OR a.subject = ANY($2))`,
    [days * DAY_SECONDS, subjects ?? null],
  );
}

/** How many rows of details each subject has left; subjects without any are not there. */
export async function detailsLeft(open: OpenLedger): Promise<Record<string, number>> {
  const { rows } = await open.sql.query<{ subject: string; count: number }>(
    `SELECT a.subject, count(*)::int FROM action_ledger.history_details d
     JOIN action_ledger.actions a ON a.workspace_no = d.workspace_no AND a.no = d.action_no GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ subject, count }) => [subject, count]));
}

/** Everything that must never be erased, as one text. */
export async function tombstones(open: OpenLedger): Promise<string> {
  const tables = ['actions', 'open_actions', 'history', 'action_references', 'events', 'event_claims'];
  const counts = tables.map(
    (name) => `(SELECT count(*) || '/' || coalesce(sum(hashtext(t::text)), 0) FROM action_ledger.${name} t)`,
  );
  const { rows } = await open.sql.query<{ all: string }>(`SELECT concat_ws(' ', ${counts.join(', ')}) AS all`);
  return rows[0]?.all ?? '';
}
