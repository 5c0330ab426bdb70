/**
 * What the Action Ledger service sends and answers, as far as the nodes use it.
 * The service's OpenAPI document is the reference. Fields that do not apply are null, never absent.
 */

/** An RFC 9457 problem, for a whole request or in the place of one item's result. */
export interface Problem {
  code: string;
  title: string;
  detail: string | null;
  status: number;
  field: string | null;
  hint: string | null;
}

export type Decision =
  | 'proceed'
  | 'already_done'
  | 'in_progress'
  | 'unknown'
  | 'failed'
  | 'stale'
  | 'mismatch'
  | 'too_old'
  /** Given by the node, not by the ledger: permission came too late to be used and was given back. */
  | 'late_answer';

/** Who holds a claim. The ledger compares instance, workflow and execution; the rest is for the audit trail. */
export interface Holder {
  kind: 'n8n';
  instanceId: string;
  workflowId?: string;
  executionId?: string;
  mode?: string;
  node?: string;
  sendsIdempotencyKey?: boolean;
}

export interface EventReference {
  source: string;
  id: string;
  occurredAt?: string;
}

export interface ClaimRequest {
  account?: string;
  subject: string;
  operation: string;
  version?: number;
  event?: EventReference;
  subjectVersion?: { stream?: string; value?: number; occurredAt?: string };
  details?: unknown;
  leaseSeconds?: number;
  holder: Holder;
}

export interface ClaimReceipt {
  outcome: string;
  reference: string | null;
  references: string[];
  attempt: number;
  recordedAt: string;
  testRun: boolean;
}

/** One claim's answer. A type alias, so that it is a plain JSON object for n8n. */
export type ClaimAnswer = {
  decision: Decision;
  reason: string;
  actionId: string | null;
  actionKey: string | null;
  state: string | null;
  attempt: number | null;
  claimToken: string | null;
  idempotencyKey: string | null;
  leaseExpiresAt: string | null;
  /** Length of the lease in milliseconds, so that nobody has to trust two clocks. Only with `proceed`. */
  leaseMs: number | null;
  repeat: boolean;
  receipt: ClaimReceipt | null;
  event: { duplicate: boolean; deliveries: number; firstSeenAt: string } | null;
  unknown: { since: string; cause: string | null; owner: string | null; reviewBy: string | null } | null;
  newer: Record<string, unknown> | null;
};

export type Outcome = 'confirmed' | 'failed' | 'unknown';

export interface ReceiptRequest {
  claimToken: string;
  outcome: Outcome;
  reference?: string;
  references?: string[];
  evidence?: Record<string, unknown>;
  cause?: string;
  holder?: Holder;
}

export type ReceiptAnswer = {
  result: 'recorded' | 'superseded' | 'contradiction' | 'not_applicable';
  reason: string;
  state: string;
  late: boolean;
  replayed: boolean;
  contradiction: string | null;
  actionId: string;
  actionKey: string;
  attempt: number;
  historySeq: number;
};

export type ReleaseRequest =
  | { claimToken: string }
  | {
      requestToken: string;
      position: number;
      subject: string;
      operation: string;
      account?: string;
      version?: number;
    };

export interface Batch {
  ledgerId: string;
  results: unknown[];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The problem in an item's place, if there is one. */
export function itemProblem(result: unknown): Problem | undefined {
  if (!isRecord(result) || !isRecord(result.error)) return undefined;
  return toProblem(result.error, 422);
}

export function toProblem(body: Record<string, unknown>, status: number): Problem {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return {
    code: text(body.code) ?? 'unexpected_problem',
    title: text(body.title) ?? 'The ledger refused this',
    detail: text(body.detail),
    status: typeof body.status === 'number' ? body.status : status,
    field: text(body.field),
    hint: text(body.hint),
  };
}
