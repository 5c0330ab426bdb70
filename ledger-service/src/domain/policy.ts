/**
 * What an operation allows. One row per operation; an operation that nobody configured works with the defaults, which
 * never repeat anything whose outcome is not known.
 */
export interface OperationPolicy {
  description: string | null;
  /** In words: which of the business's own IDs is the subject, and when the version is raised. */
  keyRecipe: string | null;
  /** Length of a claim's lease, in seconds. */
  leaseSeconds: number;
  /** How many failed receipts are allowed before the action stays failed. */
  maxAttempts: number;
  retryAfterFailure: boolean;
  /** `key`: the destination honours an idempotency key for `destinationWindowSeconds`. */
  destinationIdempotency: 'none' | 'key';
  destinationWindowSeconds: number | null;
  /** An unknown action may be repeated under the same idempotency key inside the destination's window. */
  safeRepeat: boolean;
  lookUp: 'none' | 'stripe' | 'http' | 'workflow';
  /** How long a look-up's *not found* proves nothing, in seconds. At least the longest time-out of the step. */
  settleSeconds: number;
  /** Who reconciles; null is nobody yet. */
  owner: string | null;
  /** Hours until an unknown action is overdue. */
  reviewHours: number;
  escalateTo: string | null;
  detailsRetentionDays: number | null;
  /** Events older than this many days are refused on a key that does not exist. */
  replayWindowDays: number | null;
}

export const DEFAULT_POLICY: Readonly<OperationPolicy> = {
  description: null,
  keyRecipe: null,
  leaseSeconds: 300,
  maxAttempts: 10,
  retryAfterFailure: true,
  destinationIdempotency: 'none',
  destinationWindowSeconds: null,
  safeRepeat: false,
  lookUp: 'none',
  settleSeconds: 300,
  owner: null,
  reviewHours: 24,
  escalateTo: null,
  detailsRetentionDays: null,
  replayWindowDays: null,
};

/** What a stored operation adds to its policy. */
export interface Operation {
  workspaceNo: number;
  no: number;
  name: string;
  configured: boolean;
  /** Moves with every change; a write that was decided under an older one is decided again. */
  revision: number;
  policy: OperationPolicy;
}

/** Share of a window kept as margin for the difference between two clocks (primary and standby, ledger and destination). */
export const WINDOW_MARGIN = 0.1;
