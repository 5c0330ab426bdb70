/**
 * A history: what callers asked of the ledger for one action, when, and what they were answered. Answers are written
 * down as the API gave them (an item of `results`, or the body of `GET /v1/actions/{id}`), so that nothing is lost on
 * the way. Every field of an answer but the first may be left out; what is left out is not checked.
 */

/** `none`: there is no such action. */
export type State = 'none' | 'pending' | 'in_progress' | 'confirmed' | 'failed' | 'unknown';

export type ReceiptOutcome = 'confirmed' | 'failed' | 'unknown';

export interface ClaimOperation {
  readonly kind: 'claim';
  /** Of the call; null without one. A repeated call has the same token and is written down as a call of its own. */
  readonly requestToken: string | null;
  /** Place in the call, from 0 (the default). */
  readonly position?: number;
  /** Milliseconds; default: the operation's, see `Rules`. */
  readonly leaseMs?: number;
  /** The request details, or their fingerprint, as one text. */
  readonly details?: string | null;
  /** The holder sends the idempotency key to the destination. */
  readonly sendsIdempotencyKey?: boolean;
  /** Which execution holds the claim: only `ended` asks for it. */
  readonly holder?: string | null;
}

export interface ReceiptOperation {
  readonly kind: 'receipt';
  readonly claimToken: string;
  readonly outcome: ReceiptOutcome;
  /** `reference` and `references` of the request, in this order. */
  readonly references?: readonly string[];
  /** The evidence as one text. */
  readonly evidence?: string | null;
}

export interface HeartbeatOperation {
  readonly kind: 'heartbeat';
  readonly claimToken: string;
}

export interface ReleaseOperation {
  readonly kind: 'release';
  readonly claim: { readonly claimToken: string } | { readonly requestToken: string; readonly position: number };
}

/** `POST /v1/executions/ended`, seen from one action. */
export interface EndedOperation {
  readonly kind: 'ended';
  readonly holder: string;
}

export interface RegisterOperation {
  readonly kind: 'register';
  readonly details?: string | null;
}

export interface ResolveOperation {
  readonly kind: 'resolve';
  readonly outcome: 'happened' | 'not_happened' | 'still_unknown';
  /** The fence. */
  readonly attempt: number;
  readonly historySeq: number;
  readonly references?: readonly string[];
}

export interface OverrideOperation {
  readonly kind: 'override';
  readonly attempt: number;
  readonly historySeq: number;
}

export interface ReadOperation {
  readonly kind: 'read';
}

/** How an answer says where the action is now. */
export interface Facts {
  readonly state?: State | null;
  readonly attempt?: number | null;
  readonly historySeq?: number | null;
}

export interface ReceiptShown {
  /** 0: by a reconciliation. */
  readonly attempt: number | null;
  readonly references: readonly string[];
}

export interface ClaimAnswer extends Facts {
  readonly decision: string;
  readonly claimToken?: string | null;
  readonly idempotencyKey?: string | null;
  /** ISO 8601. */
  readonly leaseExpiresAt?: string | null;
  readonly repeat?: boolean;
  readonly replayed?: boolean;
  readonly receipt?: ReceiptShown | null;
}

export interface ReceiptAnswer extends Facts {
  readonly result: string;
  readonly late?: boolean;
  readonly replayed?: boolean;
  readonly contradiction?: string | null;
}

export interface HeartbeatAnswer extends Facts {
  readonly result: string;
  readonly leaseExpiresAt?: string | null;
}

export interface ReleaseAnswer extends Facts {
  readonly result: string;
  readonly replayed?: boolean;
}

export interface RegisterAnswer extends Facts {
  readonly decision: string;
}

export interface EndedAnswer extends Facts {
  /** `abandoned`: the answer named this action; `not_held`: it did not. */
  readonly result: 'abandoned' | 'not_held';
}

/** `resolved` or `overridden`, with the facts of the answer's `action`. */
export interface ResolveAnswer extends Facts {
  readonly result: string;
}

/** The action as it was read, or `{ state: 'none' }` for a 404. */
export interface ReadAnswer extends Facts {
  readonly state: State;
  readonly idempotencyKey?: string | null;
  readonly receipt?: ReceiptShown | null;
  readonly references?: readonly string[];
  readonly lease?: { readonly expiresAt: string } | null;
}

/** A problem that says that nothing was done (status 400 to 499), by its code. */
export interface Refused {
  readonly refused: string;
}

export interface CallOf<O, A> {
  /** Who called, for the reader of a refusal. */
  readonly caller: string;
  /** Milliseconds since 1970, by a clock that never goes back, the same for all calls and close to the database's. */
  readonly invoked: number;
  /** The same; null where no answer came. Of no meaning for `maybe`. */
  readonly returned: number | null;
  readonly operation: O;
  /** `maybe`: no answer, a 5xx or a cut connection. It may take effect at any moment from then on, or never. */
  readonly answer: A | Refused | 'maybe';
}

export type Call =
  | CallOf<ClaimOperation, ClaimAnswer>
  | CallOf<ReceiptOperation, ReceiptAnswer>
  | CallOf<HeartbeatOperation, HeartbeatAnswer>
  | CallOf<ReleaseOperation, ReleaseAnswer>
  | CallOf<EndedOperation, EndedAnswer>
  | CallOf<RegisterOperation, RegisterAnswer>
  | CallOf<ResolveOperation, ResolveAnswer>
  | CallOf<OverrideOperation, ResolveAnswer>
  | CallOf<ReadOperation, ReadAnswer>;

export type Operation = Call['operation'];
export type Answer = Exclude<Call['answer'], 'maybe'>;

/** What the operation's policy says, and how far the clocks may be apart. */
export interface Rules {
  /** Milliseconds; where a claim names no lease. */
  readonly leaseMs: number;
  /** Failed receipts after which a failed action is not claimable. */
  readonly maxAttempts: number;
  readonly retryAfterFailure: boolean;
  /** The destination's window, where the policy allows a safe repeat. */
  readonly safeRepeat: { readonly windowMs: number } | null;
  /** Milliseconds between the callers' clock and the database's. */
  readonly clockToleranceMs: number;
  /**
   * The service decides a call again when its connection to the database was lost: one call may then take effect, and
   * be answered by what a second carrying out finds.
   */
  readonly decidedAgain: boolean;
}

export const USUAL_RULES: Rules = {
  leaseMs: 300_000,
  maxAttempts: 10,
  retryAfterFailure: true,
  safeRepeat: null,
  clockToleranceMs: 100,
  decidedAgain: true,
};
