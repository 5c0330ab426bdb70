import { createHash } from 'node:crypto';

import { type Action } from '../domain/action';
import { stateOfCode } from '../domain/states';
import { ACTION_COLUMNS, actionOfRow, type ActionRow, ms, OPEN_JOIN } from './action-row';
import { type Database } from './database';
import { pausePoint } from './pause-point';

const EVENTS = `
SELECT e.source, e.event_id AS id, ${ms('e.first_seen_at')} AS first_seen_at, ${ms('c.last_asked_at')} AS last_asked_at,
  c.deliveries, c.last_decision
FROM (
  SELECT event_id, count(*)::int AS deliveries, max(at) AS last_asked_at,
    (array_agg(decision ORDER BY at DESC))[1] AS last_decision
  FROM action_ledger.event_claims WHERE workspace_no = $1 AND action_id = $2 GROUP BY event_id
  ORDER BY last_asked_at DESC LIMIT 100
) c JOIN action_ledger.events e ON e.workspace_no = $1 AND e.id = c.event_id ORDER BY c.last_asked_at DESC`;

const HISTORY = `
SELECT h.seq, ${ms('h.at')} AS at, (extract(epoch FROM h.at) * 1000000)::bigint::text AS micros, h.kind, h.from_state,
  h.to_state, h.attempt, h.facts, encode(h.details_digest, 'hex') AS details_digest, encode(h.digest, 'hex') AS digest,
  encode(d.salt, 'hex') AS salt, d.body
FROM action_ledger.history h
LEFT JOIN action_ledger.history_details d
  ON d.workspace_no = h.workspace_no AND d.action_no = h.action_no AND d.seq = h.seq
WHERE h.workspace_no = $1 AND h.action_no = $2 AND h.seq <= $3 ORDER BY h.seq`;

// SKIP LOCKED and the lease keep two reconcilers apart; the action itself is not locked, its resolution is fenced.
const LEASE_DUE = `
WITH due AS (
  SELECT workspace_no, id FROM action_ledger.open_actions
  WHERE workspace_no = $1 AND state = 5 AND due_at <= clock_timestamp()
    AND (leased_until IS NULL OR leased_until <= clock_timestamp())
    AND ($2::int IS NULL OR operation_no = $2)
  ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
)
UPDATE action_ledger.open_actions o SET leased_until = clock_timestamp() + $4 * interval '1 second'
FROM due WHERE o.workspace_no = due.workspace_no AND o.id = due.id
RETURNING o.id`;

const BY_IDS = `
SELECT ${ACTION_COLUMNS} FROM action_ledger.actions a ${OPEN_JOIN}
WHERE a.workspace_no = $1 AND a.id = ANY($2::uuid[])`;

const STATISTICS = `
SELECT o.state, count(*)::int AS count, ${ms('min(o.since)')} AS oldest,
  count(*) FILTER (WHERE o.state = 2 AND o.due_at <= clock_timestamp())::int AS overdue
FROM action_ledger.open_actions o GROUP BY o.state`;

export interface EventSeen {
  source: string;
  id: string;
  firstSeenAt: number;
  lastAskedAt: number;
  /** How often it asked for the action. */
  deliveries: number;
  lastDecision: string;
}

export interface HistoryEntry {
  seq: number;
  at: number;
  kind: string;
  fromState: string;
  toState: string;
  attempt: number;
  facts: Record<string, unknown>;
  /** Null where there were none, or where they were erased. */
  details: unknown;
  /** There were details, and they were erased. */
  detailsErased: boolean;
  digest: string;
}

interface HistoryRow {
  seq: number;
  at: number;
  micros: string;
  kind: string;
  from_state: number;
  to_state: number;
  attempt: number;
  facts: string;
  details_digest: string | null;
  digest: string;
  salt: string | null;
  body: string | null;
}

/** The reader's side: what is asked by people and by the owner's side. Changes nothing but who looks after what is due. */
export class Reading {
  constructor(private readonly database: Database) {}

  async byIds(workspaceNo: number, ids: readonly string[]): Promise<Action[]> {
    const { rows } = await this.database.query<ActionRow>(BY_IDS, [workspaceNo, ids]);
    const byId = new Map(rows.map((row) => [row.id, actionOfRow(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async byId(workspaceNo: number, id: string): Promise<Action | undefined> {
    return (await this.byIds(workspaceNo, [id]))[0];
  }

  /** The hundred events that asked for the action last, the latest first. */
  async events(workspaceNo: number, actionId: string): Promise<EventSeen[]> {
    const { rows } = await this.database.query<{
      source: string;
      id: string;
      first_seen_at: number;
      last_asked_at: number;
      deliveries: number;
      last_decision: string;
    }>(EVENTS, [workspaceNo, actionId]);
    return rows.map((row) => ({
      source: row.source,
      id: row.id,
      firstSeenAt: row.first_seen_at,
      lastAskedAt: row.last_asked_at,
      deliveries: row.deliveries,
      lastDecision: row.last_decision,
    }));
  }

  /** The whole history of an action, and whether its chain is unbroken up to what the action says of itself. */
  async history(action: Action): Promise<{ entries: HistoryEntry[]; verified: boolean }> {
    const { rows } = await this.database.query<HistoryRow>(HISTORY, [action.workspaceNo, action.no, action.historySeq]);
    const complete = rows.length === action.historySeq;
    return { entries: rows.map(entryOf), verified: complete && chainHolds(action, rows) };
  }

  /** Takes unknown actions that are due, for so many seconds: nobody else is given them meanwhile. */
  async leaseDue(
    workspaceNo: number,
    options: { operationNo: number | null; limit: number; leaseSeconds: number },
  ): Promise<Action[]> {
    const { rows } = await this.database.query<{ id: string }>(LEASE_DUE, [
      workspaceNo,
      options.operationNo,
      options.limit,
      options.leaseSeconds,
    ]);
    await pausePoint('due actions leased');
    return this.byIds(
      workspaceNo,
      rows.map(({ id }) => id),
    );
  }

  /** Counts for the metrics, over all workspaces. */
  async statistics(): Promise<{
    open: Record<string, number>;
    overdueLeases: number;
    oldestUnknownSince: number | null;
  }> {
    const { rows } = await this.database.query<{ state: number; count: number; oldest: number; overdue: number }>(
      STATISTICS,
    );
    const open: Record<string, number> = { pending: 0, in_progress: 0, failed: 0, unknown: 0 };
    for (const row of rows) open[stateOfCode(row.state)] = row.count;
    return {
      open,
      overdueLeases: rows.reduce((sum, row) => sum + row.overdue, 0),
      oldestUnknownSince: rows.find((row) => stateOfCode(row.state) === 'unknown')?.oldest ?? null,
    };
  }
}

const stateName = (code: number): string => (code === 0 ? 'none' : stateOfCode(code));

function entryOf(row: HistoryRow): HistoryEntry {
  return {
    seq: row.seq,
    at: row.at,
    kind: row.kind,
    fromState: stateName(row.from_state),
    toState: stateName(row.to_state),
    attempt: row.attempt,
    facts: JSON.parse(row.facts) as Record<string, unknown>,
    details: row.body === null ? null : (JSON.parse(row.body) as unknown),
    detailsErased: row.body === null && row.details_digest !== null,
    digest: row.digest,
  };
}

const sha256 = (...parts: (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Computed here, not by the database's own function: what wrote the chain must not be what judges it. */
function chainHolds(action: Action, rows: readonly HistoryRow[]): boolean {
  let previous = sha256(Buffer.from(action.id.replaceAll('-', ''), 'hex'));
  for (const row of rows) {
    const fields = [
      action.workspaceNo,
      action.no,
      row.seq,
      row.micros,
      row.kind,
      row.from_state,
      row.to_state,
      row.attempt,
      row.details_digest ?? '',
      row.facts,
    ];
    previous = sha256(previous, fields.join('|'));
    if (previous.toString('hex') !== row.digest) return false;
    if (row.body !== null && row.salt !== null) {
      if (sha256(Buffer.from(row.salt, 'hex'), row.body).toString('hex') !== row.details_digest) return false;
    }
  }
  return true;
}
