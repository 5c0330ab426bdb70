/** What can be asked of the ledger, in the words of its HTTP interface. Keys are named by their place in the world. */

export type Details = Record<string, unknown>;

export interface Holder {
  kind: string;
  instanceId?: string;
  workflowId?: string;
  executionId?: string;
  mode?: string;
}

export interface SubjectVersion {
  /** Absent: the operation's own. */
  stream?: string;
  value?: number;
  /** Milliseconds since 1970; told as text. */
  occurredAt?: number;
}

export interface EventAsk {
  source?: string;
  id: string;
  /** Milliseconds since 1970; told as text. */
  occurredAt?: number;
}

export interface ClaimItem {
  key: number;
  details?: Details;
  leaseSeconds?: number;
  holder?: Holder & { sendsIdempotencyKey?: boolean };
  subjectVersion?: SubjectVersion;
  event?: EventAsk;
}

/** A call of one workspace. A `null` item is wrong by itself: it only takes a place. */
export interface ClaimsAsk {
  kind: 'claims';
  workspace: string;
  /** Absent: the client sent none. */
  requestToken?: string;
  items: (ClaimItem | null)[];
}

export interface RegisterAsk {
  kind: 'register';
  key: number;
  details?: Details;
  dueAt?: number;
}

/** `foreign`: sent with an API key of another workspace than the claim's. */
export interface HeartbeatAsk {
  kind: 'heartbeat';
  key: number;
  attempt: number;
  foreign?: boolean;
}

export interface ReleaseAsk {
  kind: 'release';
  key: number;
  claim: { attempt: number } | { requestToken: string; position: number };
  foreign?: boolean;
}

export interface ReceiptAsk {
  kind: 'receipt';
  key: number;
  attempt: number;
  outcome: 'confirmed' | 'failed' | 'unknown';
  reference?: string;
  references?: string[];
  evidence?: Details;
  cause?: string;
  holder?: Holder;
  foreign?: boolean;
}

export interface EndedAsk {
  kind: 'ended';
  workspace: string;
  holder: Holder;
  cause?: 'execution_crashed' | 'ended_without_receipt';
}

export interface SweepAsk {
  kind: 'sweep';
}

export interface ResolveAsk {
  kind: 'resolve';
  key: number;
  outcome: 'happened' | 'not_happened' | 'still_unknown';
  attempt: number;
  historySeq: number;
  reference?: string;
  evidence?: Details;
  reason?: string;
  owner?: string;
  nextCheckAt?: number;
  by?: string;
  foundBy?: 'person' | 'lookup';
}

export interface OverrideAsk {
  kind: 'override';
  key: number;
  attempt: number;
  historySeq: number;
  by: string;
  secondPerson: string;
  reason: string;
}

/** A change of the policy that the key's operation has. */
export interface ConfigureAsk {
  kind: 'configure';
  key: number;
  change: Record<string, unknown>;
  /** Absent: without saying which revision it was made from. */
  revision?: number;
}

export type Ask =
  | ConfigureAsk
  | ClaimsAsk
  | RegisterAsk
  | HeartbeatAsk
  | ReleaseAsk
  | ReceiptAsk
  | EndedAsk
  | SweepAsk
  | ResolveAsk
  | OverrideAsk;
