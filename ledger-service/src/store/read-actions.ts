import { type Action } from '../domain/action';
import { ACTION_COLUMNS, actionOfRow, type ActionRow, ms, OPEN_JOIN } from './action-row';
import { type Database } from './database';

// One snapshot for all rows and their open parts; no locks. What is decided on it is fenced when it is written.
const READ = `
SELECT i.ord::int AS ord, ${ms('clock_timestamp()')} AS now, ${ACTION_COLUMNS}
FROM unnest($1::int[], $2::uuid[]) WITH ORDINALITY AS i(workspace_no, id, ord)
LEFT JOIN action_ledger.actions a ON a.workspace_no = i.workspace_no AND a.id = i.id
${OPEN_JOIN}`;

export interface ActionAt {
  action: Action | null;
  /** The database's clock at the read. */
  now: number;
}

/** Reads actions in the order asked for. */
export async function readActions(
  database: Database,
  keys: readonly { workspaceNo: number; id: string }[],
): Promise<ActionAt[]> {
  const { rows } = await database.query<{ ord: number; now: number } & (ActionRow | { no: null })>(READ, [
    keys.map((key) => key.workspaceNo),
    keys.map((key) => key.id),
  ]);
  const found: ActionAt[] = Array.from({ length: keys.length });
  for (const row of rows) {
    found[row.ord - 1] = { action: row.no === null ? null : actionOfRow(row), now: row.now };
  }
  return found;
}
