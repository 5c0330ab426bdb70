import { type Action, type Contradiction } from './action';
import { type Command } from './commands';
import { type OperationPolicy } from './policy';
import { type State } from './states';

/** What a command met: everything a decision may depend on, and nothing else. */
export interface Situation<C extends Command = Command> {
  command: C;
  /** Null where no action exists under the key. */
  action: Action | null;
  policy: OperationPolicy;
  operationNo: number;
  workspaceNo: number;
  actionId: string;
  /** The database's clock when the action was read, in milliseconds. */
  now: number;
  /** The newest subject version that the ledger has seen in the claim's stream; null where there is none. */
  newestVersion: number | null;
  /** A fresh random UUID. */
  randomUuid: () => string;
}

export type Answer =
  | 'registered'
  | 'exists'
  | 'proceed'
  | 'already_done'
  | 'in_progress'
  | 'unknown'
  | 'failed'
  | 'mismatch'
  | 'stale'
  | 'too_old'
  | 'extended'
  | 'lost'
  | 'released'
  | 'recorded'
  | 'superseded'
  | 'contradiction'
  | 'abandoned'
  | 'swept'
  | 'resolved'
  | 'stale_resolution'
  | 'overridden'
  | 'not_applicable';

/** A row of the action's history. `details` can be erased later, `facts` cannot. */
export interface Entry {
  kind: string;
  from: State;
  to: State;
  attempt: number;
  facts: Record<string, unknown>;
  details: unknown;
}

/** When an open action is looked at next. Relative times count from the moment at which the write holds its locks. */
export interface Schedule {
  /** Absent keeps the due time. */
  due?: { inMs: number } | { at: number };
  /** A lease never ends earlier than it did before. */
  notBefore?: number;
  /** A repeat's lease is never carried past its destination's window. */
  notAfter?: number;
  /** The write is refused, and decided again, where the lease would not fit before `notAfter`. */
  mustFit?: boolean;
  /** Absent keeps the review time. */
  reviewInMs?: number;
  /** From when the settle time counts. Absent keeps it. */
  settleFrom?: number;
  /** … or from the write, where that is later. */
  settleFromWrite?: boolean;
}

/** What a change leaves. */
export interface Change {
  next: Action;
  /** Null for a change that leaves no history (a heartbeat). */
  entry: Entry | null;
  /** Absent keeps the whole schedule of an action that stays open. */
  schedule?: Schedule;
  contradiction?: Contradiction;
}

export interface Decision {
  answer: Answer;
  change: Change | null;
  /** The command is decided once more on what the change leaves (an ended lease, then the claim that met it). */
  again: boolean;
  replayed: boolean;
  late: boolean;
  contradiction: Contradiction | null;
}
