import { type Action } from '../domain/action';
import { ACTION_COLUMNS, actionOfRow, type ActionRow, ms, OPEN_JOIN } from './action-row';
import { type Database } from './database';

// One snapshot for all rows, their open parts and the revision of their policy; no locks. What is decided on it is fenced
// when it is written.
const READ = `
SELECT i.ord::int AS ord, ${ms('clock_timestamp()')} AS now, ${ACTION_COLUMNS},
  CASE WHEN a.no IS NULL
    THEN (SELECT p.revision FROM action_ledger.operations p WHERE p.workspace_no = i.workspace_no AND p.name = i.operation)
    ELSE (SELECT p.revision FROM action_ledger.operations p WHERE p.workspace_no = a.workspace_no AND p.no = a.operation_no)
  END AS policy_revision
FROM unnest($1::int[], $2::uuid[], $3::text[]) WITH ORDINALITY AS i(workspace_no, id, operation, ord)
LEFT JOIN action_ledger.actions a ON a.workspace_no = i.workspace_no AND a.id = i.id
${OPEN_JOIN}`;

export interface ActionToRead {
  workspaceNo: number;
  id: string;
  /** The operation that the command names; null where only the action itself knows it. */
  operation: string | null;
}

export interface ActionAt {
  action: Action | null;
  /** The present revision of the operation's policy; null where there is no such operation. */
  policyRevision: number | null;
  /** The database's clock at the read. */
  now: number;
}

interface Read {
  ord: number;
  now: number;
  policy_revision: number | null;
}

/** Reads actions in the order asked for. */
export async function readActions(database: Database, keys: readonly ActionToRead[]): Promise<ActionAt[]> {
  const { rows } = await database.query<Read & (ActionRow | { no: null })>(READ, [
    keys.map((key) => key.workspaceNo),
    keys.map((key) => key.id),
    keys.map((key) => key.operation),
  ]);
  const found: ActionAt[] = Array.from({ length: keys.length });
  for (const row of rows) {
    found[row.ord - 1] = {
      action: row.no === null ? null : actionOfRow(row),
      policyRevision: row.policy_revision,
      now: row.now,
    };
  }
  return found;
}
