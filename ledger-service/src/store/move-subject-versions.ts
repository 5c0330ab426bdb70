import { type SubjectVersion } from '../domain/commands';
import { type Database } from './database';
import { pausePoint } from './pause-point';

const KINDS = { sequence: 1, time: 2 } as const;

/** Event times further ahead of the database than this are not stored: one wrong clock must not make all others stale. */
const AHEAD_MS = 600_000;

// The greatest of each stream first, since one statement must not meet a key twice; then in key order. A stream keeps the
// kind it began with: the row that comes back says which that is.
const MOVE = `
WITH input AS MATERIALIZED (
  SELECT workspace_no, id, kind, max(value) AS value
  FROM json_to_recordset($1::json) AS i(workspace_no int, id uuid, kind int, value float8)
  WHERE kind <> 2 OR value <= (extract(epoch FROM clock_timestamp()) * 1000)::float8 + ${AHEAD_MS}
  GROUP BY workspace_no, id, kind
),
chosen AS MATERIALIZED (
  SELECT DISTINCT ON (workspace_no, id) * FROM input ORDER BY workspace_no, id, kind
),
moved AS (
  INSERT INTO action_ledger.subject_versions AS v (workspace_no, id, kind, value)
  SELECT workspace_no, id, kind, value FROM chosen ORDER BY workspace_no, id
  ON CONFLICT (workspace_no, id) DO UPDATE SET value = excluded.value
  WHERE v.kind = excluded.kind AND v.value < excluded.value
)
SELECT count(*) FROM chosen`;

const READ = `
SELECT i.ord::int AS ord, v.kind, v.value FROM unnest($1::int[], $2::uuid[]) WITH ORDINALITY AS i(workspace_no, id, ord)
JOIN action_ledger.subject_versions v ON v.workspace_no = i.workspace_no AND v.id = i.id`;

export interface StreamClaim {
  workspaceNo: number;
  streamId: string;
  version: SubjectVersion;
  /** Whether the claim takes part; one that is refused as too old is only compared. */
  moves: boolean;
}

/** The newest version of a claim's stream; `mixed` where the stream counts otherwise than the claim does. */
export type Newest = { value: number } | 'mixed' | null;

/** Moves each stream forward to the newest version that these claims name, and answers what is the newest then. */
export async function moveSubjectVersions(database: Database, claims: readonly StreamClaim[]): Promise<Newest[]> {
  if (claims.length === 0) return [];
  const moving = claims.filter(({ moves }) => moves);
  if (moving.length > 0) {
    await database.query(MOVE, [
      JSON.stringify(
        moving.map(({ workspaceNo, streamId, version }) => ({
          workspace_no: workspaceNo,
          id: streamId,
          kind: KINDS[version.kind],
          value: version.value,
        })),
      ),
    ]);
    await pausePoint('subject versions moved');
  }
  const { rows } = await database.query<{ ord: number; kind: number; value: number }>(READ, [
    claims.map((claim) => claim.workspaceNo),
    claims.map((claim) => claim.streamId),
  ]);
  const newest: Newest[] = claims.map(() => null);
  for (const row of rows) {
    const kind = claims[row.ord - 1]?.version.kind;
    newest[row.ord - 1] = kind !== undefined && KINDS[kind] === row.kind ? { value: row.value } : 'mixed';
  }
  return newest;
}
