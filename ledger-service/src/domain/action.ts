import { type ActionKey } from './action-key';
import { type StoredState } from './states';

/** Who asks for, holds or ends a claim. Only `kind` is always there. */
export interface Holder {
  kind: string;
  instanceId?: string;
  workflowId?: string;
  executionId?: string;
  node?: string;
  /** n8n's execution mode; `manual` is a test run, whose effects are real all the same. */
  mode?: string;
}

/** What was said of an attempt, for telling a repeated receipt from a new one and what a late one contradicts. */
export interface ReceiptMark {
  attempt: number;
  /** `released` is the holder's *not sent*; `not_happened` a reconciliation's, of this attempt and all before it. */
  outcome: 'confirmed' | 'failed' | 'unknown' | 'released' | 'not_happened';
  references: string[];
  /** First 16 hex digits of the evidence's fingerprint; absent without evidence. */
  evidence?: string;
}

export type Contradiction =
  | 'after_failed'
  | 'after_not_happened'
  | 'two_effects'
  | 'older_attempt_confirmed'
  | 'failed_after_confirmed'
  | 'unknown_after_failed'
  | 'unknown_after_released'
  | 'repeated_by_retry';

/** What the ledger shows people while an action is not at rest. */
export interface OpenItem {
  /** End of the lease (in progress), next check (unknown), or when it is shown as *claimable again*. Milliseconds. */
  dueAt: number;
  /** When an unknown action is overdue for review. Milliseconds. */
  reviewBy: number | null;
  /** From when the settle time counts: the lease's end or the unknown receipt, whichever is later. Milliseconds. */
  settleFrom: number | null;
  /** An owner named for this action; else the operation's owner is it. */
  owner: string | null;
  /** Who holds the lease. */
  holder: Holder | null;
}

/** One action as the ledger knows it. All times are milliseconds since 1970 by the database's clock. */
export interface Action {
  workspaceNo: number;
  id: string;
  /** Small number that its history rows are kept under. 0 until it is stored. */
  no: number;
  /** Moves with every write, also one that leaves no history (a heartbeat): the fence of every write. */
  revision: number;
  key: ActionKey;
  operationNo: number;
  state: StoredState;
  since: number;
  createdAt: number;
  /** The fencing number. Never given out twice. */
  attempt: number;
  historySeq: number;
  /** The state the current attempt was claimed from, to return to when it is released. */
  claimedFrom: StoredState;
  leaseMs: number;
  /** Random per action; claim tokens are derived from it. Never leaves the ledger. */
  secret: string;
  /** Digest of the request token of the call that made the current claim, and the claim's position in it. */
  callId: string | null;
  callPosition: number;
  holderId: string | null;
  testRun: boolean;
  idempotencyKey: string | null;
  /** First claim under the present idempotency key. */
  keyClaimedAt: number | null;
  /** The destination's window, recorded when the first attempt under the key allowed a safe repeat; else null. */
  keyWindowMs: number | null;
  /** Attempts under the present key that were not released. */
  keyAttempts: number;
  /** The next claim gets a new key: the only attempt ever sent under this one has a failed receipt. */
  rotateKey: boolean;
  /** Attempts without a failed receipt, release or reconciliation. */
  unresolved: number[];
  failedReceipts: number;
  fingerprint: string | null;
  /** An older attempt was confirmed while a newer one holds the lease. */
  effectSeen: boolean;
  receipts: ReceiptMark[];
  references: string[];
  /** Attempt whose receipt confirmed it; 0 when a reconciliation did; null when nothing did. */
  confirmedAttempt: number | null;
  contradictions: Contradiction[];
  cause: string | null;
  open: OpenItem | null;
}

export const MAX_RECEIPT_MARKS = 50;

/** References that an action keeps; its history keeps all. */
export const MAX_REFERENCES = 100;
