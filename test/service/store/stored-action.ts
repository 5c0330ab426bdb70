import { type Pool } from 'pg';

export type StateName = 'none' | 'pending' | 'in_progress' | 'confirmed' | 'failed' | 'unknown';

/** The stored codes, written down once more: a renumbering must not pass unnoticed. */
const NAMES: readonly StateName[] = ['none', 'pending', 'in_progress', 'confirmed', 'failed', 'unknown'];

export interface StoredEntry {
  seq: number;
  kind: string;
  from: StateName;
  to: StateName;
  attempt: number;
  facts: Record<string, unknown>;
  details: unknown;
}

/** Everything that the database holds of one action; `raw` is compared where nothing may have changed. */
export interface StoredAction {
  state: StateName;
  revision: number;
  attempt: number;
  historySeq: number;
  history: StoredEntry[];
  contradictions: string[];
  references: string[];
  raw: unknown;
}

const READ = `
SELECT to_jsonb(a) AS action,
  (SELECT to_jsonb(o) FROM action_ledger.open_actions o WHERE o.workspace_no = a.workspace_no AND o.id = a.id) AS open,
  (SELECT coalesce(jsonb_agg(to_jsonb(h) ORDER BY h.seq), '[]') FROM action_ledger.history h
    WHERE h.workspace_no = a.workspace_no AND h.action_no = a.no) AS history,
  (SELECT coalesce(jsonb_agg(to_jsonb(d) ORDER BY d.seq), '[]') FROM action_ledger.history_details d
    WHERE d.workspace_no = a.workspace_no AND d.action_no = a.no) AS details,
  (SELECT coalesce(jsonb_agg(r.reference ORDER BY r.reference), '[]') FROM action_ledger.action_references r
    WHERE r.workspace_no = a.workspace_no AND r.action_id = a.id) AS refs
FROM action_ledger.actions a WHERE a.workspace_no = $1 AND a.id = $2`;

interface Raw {
  action: {
    state: number;
    revision: number;
    attempt: number;
    history_seq: number;
    contradictions: string[];
    effect_references: string[];
  };
  open: { state: number } | null;
  history: {
    seq: number;
    kind: string;
    from_state: number;
    to_state: number;
    attempt: number;
    facts: string;
    digest: string;
  }[];
  details: { seq: number; body: string }[];
  refs: string[];
}

export async function storedAction(sql: Pool, workspaceNo: number, id: string): Promise<StoredAction | null> {
  const { rows } = await sql.query<Raw>(READ, [workspaceNo, id]);
  const [raw] = rows;
  if (raw === undefined) return null;
  const { action, history, details } = raw;
  expectSound(raw);
  return {
    state: NAMES[action.state]!,
    revision: action.revision,
    attempt: action.attempt,
    historySeq: action.history_seq,
    history: history.map((row) => ({
      seq: row.seq,
      kind: row.kind,
      from: NAMES[row.from_state]!,
      to: NAMES[row.to_state]!,
      attempt: row.attempt,
      facts: JSON.parse(row.facts) as Record<string, unknown>,
      details: JSON.parse(details.find(({ seq }) => seq === row.seq)?.body ?? 'null') as unknown,
    })),
    contradictions: action.contradictions,
    references: action.effect_references,
    raw,
  };
}

/** For comparing what may have been written once more without moving anything. */
export const exceptRevision = (stored: StoredAction | null): unknown =>
  JSON.parse(JSON.stringify(stored), (name, value: unknown) => (name === 'revision' ? 'any' : value));

/** What holds of every action at every moment, whatever was done with it. */
function expectSound({ action, open, history, refs }: Raw): void {
  expect(history.map(({ seq }) => seq)).toEqual(history.map((_, index) => index + 1));
  expect(history.length).toBe(action.history_seq);
  expect(history.at(-1)?.to_state).toBe(action.state);
  history.slice(1).forEach((row, index) => expect(row.from_state).toBe(history[index]?.to_state));
  expect(open?.state).toBe(NAMES[action.state] === 'confirmed' ? undefined : action.state);
  expect(refs).toEqual([...action.effect_references].sort());
}
