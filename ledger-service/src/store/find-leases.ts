import { type Database } from './database';

// Found without locks; each is decided again behind its fence, so that two sweeps at once do no harm.
const OVERDUE = `
SELECT o.workspace_no AS "workspaceNo", o.id FROM action_ledger.workspaces w
CROSS JOIN LATERAL (
  SELECT workspace_no, id, due_at FROM action_ledger.open_actions
  WHERE workspace_no = w.no AND state = 2 AND due_at <= clock_timestamp() ORDER BY due_at LIMIT $1
) o ORDER BY o.due_at LIMIT $1`;

const HELD = `SELECT id FROM action_ledger.open_actions WHERE workspace_no = $1 AND holder_id = $2 AND state = 2`;

/** Actions whose lease is over, longest first. */
export async function overdueLeases(database: Database, limit: number): Promise<{ workspaceNo: number; id: string }[]> {
  const { rows } = await database.query<{ workspaceNo: number; id: string }>(OVERDUE, [limit]);
  return rows;
}

/** Actions that this execution holds. */
export async function heldBy(database: Database, workspaceNo: number, holderId: string): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(HELD, [workspaceNo, holderId]);
  return rows.map(({ id }) => id);
}
