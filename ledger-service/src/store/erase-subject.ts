import { type ActionKey, subjectRange } from '../domain/action-key';
import { type StoredState, stateOfCode } from '../domain/states';
import { type Database } from './database';
import { undecided } from './undecided';

export interface SubjectErasure {
  workspaceNo: number;
  account: string;
  subject: string;
  /** Also of actions that are in progress or unknown, whose owner needs them to find out what happened. */
  alsoUndecided: boolean;
  /** Only counts. */
  dryRun: boolean;
}

/** What was, or would be, erased of one action. Counts are rows of details: what one step of its history had. */
export interface ErasedAction {
  key: ActionKey;
  state: StoredState;
  erased: number;
  /** Not erased, since the action is not decided. */
  kept: number;
}

/** Rows in one transaction. */
const BATCH = 500;
/** Actions looked at together. */
const ACTIONS = 200;

const PAGE_OF_ACTIONS = `
SELECT a.id, a.no::text, a.state, a.version, o.name AS operation
FROM action_ledger.actions a
JOIN action_ledger.operations o ON o.workspace_no = a.workspace_no AND o.no = a.operation_no
WHERE a.workspace_no = $1 AND a.id BETWEEN $2 AND $3 AND ($4::uuid IS NULL OR a.id > $4) AND a.account = $5
  AND a.subject = $6
ORDER BY a.id LIMIT $7`;

// Locked in the order of the key, so that two erasures wait for each other in turn; the retention waits for nobody.
const ERASE = `
WITH chosen AS MATERIALIZED (
  SELECT d.workspace_no, d.action_no, d.seq FROM action_ledger.history_details d
  WHERE d.workspace_no = $1 AND d.action_no = ANY($2::bigint[]) AND ($3 OR ${undecided('d')} IS NOT TRUE)
  ORDER BY d.workspace_no, d.action_no, d.seq LIMIT $4 FOR UPDATE
), erased AS (
  DELETE FROM action_ledger.history_details d USING chosen c
  WHERE d.workspace_no = c.workspace_no AND d.action_no = c.action_no AND d.seq = c.seq
  RETURNING d.action_no
)
SELECT action_no::text AS no, count(*)::int AS count FROM erased GROUP BY action_no`;

const COUNT = `
SELECT d.action_no::text AS no, count(*) FILTER (WHERE $3 OR ${undecided('d')} IS NOT TRUE)::int AS erasable,
  count(*)::int AS count
FROM action_ledger.history_details d
WHERE d.workspace_no = $1 AND d.action_no = ANY($2::bigint[]) GROUP BY d.action_no`;

interface ActionRow {
  id: string;
  no: string;
  state: number;
  version: number;
  operation: string;
}

/**
 * Erases what people wrote and destinations answered about one subject, whatever its operations' retention. Actions,
 * histories, digests and references stay. Answers each action of the subject; none where there is none.
 */
export async function eraseSubject(database: Database, erasure: SubjectErasure): Promise<ErasedAction[]> {
  const { workspaceNo, account, subject } = erasure;
  const { from, to } = subjectRange(subject);
  const found: ErasedAction[] = [];
  for (let after: string | null = null; ;) {
    const values: unknown[] = [workspaceNo, from, to, after, account, subject, ACTIONS];
    const { rows }: { rows: ActionRow[] } = await database.query<ActionRow>(PAGE_OF_ACTIONS, values);
    const counts = await eraseOf(database, erasure, rows);
    for (const { no, state, version, operation } of rows) {
      const { erased, kept } = counts.get(no) ?? { erased: 0, kept: 0 };
      found.push({ key: { account, subject, operation, version }, state: stateOfCode(state), erased, kept });
    }
    after = rows.at(-1)?.id ?? null;
    if (rows.length < ACTIONS) return found;
  }
}

type Counts = Map<string, { erased: number; kept: number }>;

async function eraseOf(
  database: Database,
  { workspaceNo, alsoUndecided, dryRun }: SubjectErasure,
  actions: readonly ActionRow[],
): Promise<Counts> {
  const values = [workspaceNo, actions.map(({ no }) => no), alsoUndecided];
  const erased = new Map<string, number>();
  for (let more = !dryRun; more;) {
    const batch = await database.transaction(
      async (client) => (await client.query<{ no: string; count: number }>(ERASE, [...values, BATCH])).rows,
    );
    for (const { no, count } of batch) erased.set(no, (erased.get(no) ?? 0) + count);
    more = batch.reduce((sum, { count }) => sum + count, 0) === BATCH;
  }
  const { rows } = await database.query<{ no: string; erasable: number; count: number }>(COUNT, values);
  const left = new Map(rows.map((row) => [row.no, row]));
  return new Map(
    actions.map(({ no }) => {
      const { erasable = 0, count = 0 } = left.get(no) ?? {};
      const gone = dryRun ? erasable : (erased.get(no) ?? 0);
      return [no, { erased: gone, kept: dryRun ? count - erasable : count }];
    }),
  );
}
