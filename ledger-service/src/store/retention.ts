import { type Database } from './database';
import { undecided } from './undecided';

/** An operation that erases details after a time. */
export interface OperationWithRetention {
  workspaceNo: number;
  operationNo: number;
}

/** Where a page of details ended, so that the next one goes on there. */
interface Place {
  /** Microseconds since 1970, as text: more digits than a float of them would keep exactly for ever. */
  recordedAt: string;
  actionNo: string;
  seq: number;
}

export interface ErasedPage {
  erased: number;
  /** Due, and kept because their action is not decided. */
  kept: number;
  /** Null when this was the last page. */
  next: Place | null;
}

const WITH_RETENTION = `
SELECT workspace_no AS "workspaceNo", no AS "operationNo" FROM action_ledger.operations
WHERE details_retention_days IS NOT NULL ORDER BY workspace_no, no`;

/** SQL: the moment before which details of an operation are due. Days of 24 hours: no time zone has a say in it. */
const dueBefore = (operation: string): string =>
  `clock_timestamp() - ${operation}.details_retention_days * interval '24 hours'`;

// The policy is read by the statement that acts on it. SKIP LOCKED: what another replica is erasing is its business.
const ERASE_PAGE = `
WITH due AS MATERIALIZED (
  SELECT ${dueBefore('o')} AS before FROM action_ledger.operations o
  WHERE o.workspace_no = $1 AND o.no = $2 AND o.details_retention_days IS NOT NULL
), page AS MATERIALIZED (
  SELECT d.workspace_no, d.action_no, d.seq, d.recorded_at FROM action_ledger.history_details d
  WHERE d.workspace_no = $1 AND d.operation_no = $2 AND d.recorded_at < (SELECT before FROM due)
    AND (d.recorded_at, d.action_no, d.seq) >
      (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::bigint, $5::int)
  ORDER BY d.recorded_at, d.action_no, d.seq LIMIT $6 FOR UPDATE SKIP LOCKED
), erased AS (
  DELETE FROM action_ledger.history_details d USING page p
  WHERE d.workspace_no = p.workspace_no AND d.action_no = p.action_no AND d.seq = p.seq
    AND ${undecided('p')} IS NOT TRUE
  RETURNING 1
)
SELECT (SELECT count(*)::int FROM erased) AS erased, (SELECT count(*)::int FROM page) AS found,
  (extract(epoch FROM last.recorded_at) * 1000000)::bigint::text AS "recordedAt", last.action_no::text AS "actionNo",
  last.seq
FROM (SELECT 1) AS one
LEFT JOIN (SELECT * FROM page ORDER BY recorded_at DESC, action_no DESC, seq DESC LIMIT 1) AS last ON true`;

/** How many of the oldest are looked through for one that may be erased, so that many undecided ones cost no more. */
const LOOKED_THROUGH = 1_000;

const OVERDUE = `
SELECT coalesce(max(extract(epoch FROM ${dueBefore('o')} - oldest.recorded_at)), 0)::float8 AS seconds
FROM action_ledger.operations o CROSS JOIN LATERAL (
  SELECT p.recorded_at FROM (
    SELECT d.workspace_no, d.action_no, d.recorded_at FROM action_ledger.history_details d
    WHERE d.workspace_no = o.workspace_no AND d.operation_no = o.no AND d.recorded_at < ${dueBefore('o')}
    ORDER BY d.recorded_at, d.action_no, d.seq LIMIT ${LOOKED_THROUGH}
  ) p WHERE ${undecided('p')} IS NOT TRUE ORDER BY p.recorded_at LIMIT 1
) oldest WHERE o.details_retention_days IS NOT NULL`;

const BEGINNING: Place = { recordedAt: '-60000000000000000', actionNo: '0', seq: 0 };

/**
 * Erases what people wrote and destinations answered when it is older than its operation keeps it, by the database's
 * clock. Only `history_details` is touched: the action, its history, its digests and references stay, so that nothing
 * that was done is ever let through again.
 */
export class Retention {
  constructor(private readonly database: Database) {}

  async operations(): Promise<OperationWithRetention[]> {
    const { rows } = await this.database.query<OperationWithRetention>(WITH_RETENTION);
    return rows;
  }

  /**
   * Erases what is due on one page of an operation's details, the oldest first, in one transaction. Several services may
   * do so at once: none waits for another, and none fails because of it.
   *
   * @param limit rows on the page
   */
  async erasePage(
    { workspaceNo, operationNo }: OperationWithRetention,
    limit: number,
    after: Place | null = null,
  ): Promise<ErasedPage> {
    const { recordedAt, actionNo, seq } = after ?? BEGINNING;
    const [row] = await this.database.transaction(async (client) => {
      const { rows } = await client.query<{ erased: number; found: number } & Place>(ERASE_PAGE, [
        workspaceNo,
        operationNo,
        recordedAt,
        actionNo,
        seq,
        limit,
      ]);
      return rows;
    });
    if (row === undefined) throw new Error('The statement that erases answered nothing');
    const { erased, found } = row;
    const next = found < limit ? null : { recordedAt: row.recordedAt, actionNo: row.actionNo, seq: row.seq };
    return { erased, kept: found - erased, next };
  }

  /** For how many seconds the oldest of the details that may be erased has been due; 0 when there is none. */
  async overdueSeconds(): Promise<number> {
    const { rows } = await this.database.query<{ seconds: number }>(OVERDUE);
    return rows[0]?.seconds ?? 0;
  }
}

export type { Place };
