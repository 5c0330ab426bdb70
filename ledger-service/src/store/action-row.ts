import { type Action, type Contradiction, type Holder, type ReceiptMark } from '../domain/action';
import { stateOfCode } from '../domain/states';

/** A moment as milliseconds since 1970, in SQL. Keeps the microseconds as the fraction. */
export const ms = (moment: string): string => `(extract(epoch FROM ${moment}) * 1000)::float8`;

/** The columns of an action and of its open row, for a SELECT over `actions a LEFT JOIN open_actions o`. */
export const ACTION_COLUMNS = `
  a.workspace_no, a.id, a.no::float8 AS no, a.revision, a.account, a.subject, a.version, a.operation_no,
  (SELECT p.name FROM action_ledger.operations p WHERE p.workspace_no = a.workspace_no AND p.no = a.operation_no)
    AS operation,
  a.state, ${ms('a.since')} AS since, ${ms('a.created_at')} AS created_at, a.attempt, a.history_seq, a.claimed_from,
  a.lease_ms, a.secret, a.call_id, a.call_position, a.holder_id, a.test_run, a.idempotency_key,
  ${ms('a.key_claimed_at')} AS key_claimed_at, a.key_window_ms::float8 AS key_window_ms, a.key_attempts, a.rotate_key,
  a.unresolved, a.failed_receipts, encode(a.fingerprint, 'hex') AS fingerprint, a.effect_seen, a.receipts,
  a.effect_references, a.confirmed_attempt, a.contradictions, a.cause,
  ${ms('o.due_at')} AS due_at, ${ms('o.review_by')} AS review_by, ${ms('o.settle_from')} AS settle_from,
  o.owner, o.holder`;

export const OPEN_JOIN = `LEFT JOIN action_ledger.open_actions o ON o.workspace_no = a.workspace_no AND o.id = a.id`;

export interface ActionRow {
  workspace_no: number;
  id: string;
  no: number;
  revision: number;
  account: string;
  subject: string;
  version: number;
  operation_no: number;
  operation: string;
  state: number;
  since: number;
  created_at: number;
  attempt: number;
  history_seq: number;
  claimed_from: number;
  lease_ms: number;
  secret: string;
  call_id: string | null;
  call_position: number;
  holder_id: string | null;
  test_run: boolean;
  idempotency_key: string | null;
  key_claimed_at: number | null;
  key_window_ms: number | null;
  key_attempts: number;
  rotate_key: boolean;
  unresolved: number[];
  failed_receipts: number;
  fingerprint: string | null;
  effect_seen: boolean;
  receipts: string;
  effect_references: string[];
  confirmed_attempt: number | null;
  contradictions: string[];
  cause: string | null;
  due_at: number | null;
  review_by: number | null;
  settle_from: number | null;
  owner: string | null;
  holder: string | null;
}

export function actionOfRow(row: ActionRow): Action {
  return {
    workspaceNo: row.workspace_no,
    id: row.id,
    no: row.no,
    revision: row.revision,
    key: { account: row.account, subject: row.subject, operation: row.operation, version: row.version },
    operationNo: row.operation_no,
    state: stateOfCode(row.state),
    since: row.since,
    createdAt: row.created_at,
    attempt: row.attempt,
    historySeq: row.history_seq,
    claimedFrom: stateOfCode(row.claimed_from),
    leaseMs: row.lease_ms,
    secret: row.secret,
    callId: row.call_id,
    callPosition: row.call_position,
    holderId: row.holder_id,
    testRun: row.test_run,
    idempotencyKey: row.idempotency_key,
    keyClaimedAt: row.key_claimed_at,
    keyWindowMs: row.key_window_ms,
    keyAttempts: row.key_attempts,
    rotateKey: row.rotate_key,
    unresolved: row.unresolved,
    failedReceipts: row.failed_receipts,
    fingerprint: row.fingerprint,
    effectSeen: row.effect_seen,
    receipts: JSON.parse(row.receipts) as ReceiptMark[],
    references: row.effect_references,
    confirmedAttempt: row.confirmed_attempt,
    contradictions: row.contradictions as Contradiction[],
    cause: row.cause,
    open:
      row.due_at === null
        ? null
        : {
            dueAt: row.due_at,
            reviewBy: row.review_by,
            settleFrom: row.settle_from,
            owner: row.owner,
            holder: row.holder === null ? null : (JSON.parse(row.holder) as Holder),
          },
  };
}
