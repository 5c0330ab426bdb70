import { type ActionKey } from './action-key';
import { type Holder } from './action';

/** What can be asked of one action. Shapes are checked and normalised before a command is made. */
export type Command =
  | RegisterCommand
  | ClaimCommand
  | HeartbeatCommand
  | ReleaseCommand
  | ReceiptCommand
  | AbandonCommand
  | SweepCommand
  | ReconcileCommand
  | OverrideCommand;

export interface RegisterCommand {
  kind: 'register';
  key: ActionKey;
  fingerprint: string | null;
  details: unknown;
  /** When it is shown as claimable again if nobody came for it; null takes the operation's time to review. */
  dueAt: number | null;
}

export interface ClaimCommand {
  kind: 'claim';
  key: ActionKey;
  fingerprint: string | null;
  details: unknown;
  /** Null takes the operation's lease. */
  leaseMs: number | null;
  callId: string | null;
  callPosition: number;
  holder: Holder | null;
  holderId: string | null;
  /** The holder declares that it sends the idempotency key to the destination. */
  sendsIdempotencyKey: boolean;
  subjectVersion: SubjectVersion | null;
  /** The event's own time; only for the replay window. */
  eventAt: number | null;
  /** Facts of the event that go into the history of a granted claim. */
  event: { source: string; id: string } | null;
}

export interface SubjectVersion {
  stream: string;
  kind: 'sequence' | 'time';
  /** The sequence number, or the time in milliseconds. */
  value: number;
}

export interface HeartbeatCommand {
  kind: 'heartbeat';
  attempt: number;
}

/** *Not sent*: by the claim's token, or by the call that made it, whose answer was lost. */
export interface ReleaseCommand {
  kind: 'release';
  claim: { attempt: number } | { key: ActionKey; callId: string; callPosition: number };
}

export interface ReceiptCommand {
  kind: 'receipt';
  attempt: number;
  outcome: 'confirmed' | 'failed' | 'unknown';
  references: string[];
  evidence: unknown;
  cause: string | null;
  /** Present only when the claim was found by lineage: another execution than the claim's repeated the step by itself. */
  holderId: string | null;
}

export interface AbandonCommand {
  kind: 'abandon';
  holderId: string;
  cause: 'execution_crashed' | 'ended_without_receipt';
}

export interface SweepCommand {
  kind: 'sweep';
}

/** What the owner's side read before it decided; if either moved, it decided about something else. */
export interface Fence {
  attempt: number;
  historySeq: number;
}

export interface ReconcileCommand {
  kind: 'reconcile';
  outcome: 'happened' | 'not_happened' | 'still_unknown';
  fence: Fence;
  by: string;
  foundBy: 'person' | 'lookup';
  references: string[];
  evidence: unknown;
  reason: string | null;
  owner: string | null;
  nextCheckAt: number | null;
}

export interface OverrideCommand {
  kind: 'override';
  fence: Fence;
  by: string;
  secondPerson: string;
  reason: string;
}
