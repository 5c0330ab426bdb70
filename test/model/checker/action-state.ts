import { type ReceiptOutcome, type Rules, type State } from './history';
import { type Window } from './linearize';

/** What was said of an attempt. */
export interface Said {
  readonly outcome: ReceiptOutcome | 'released' | 'not_happened';
  readonly references: readonly string[];
  readonly evidence: string | null;
}

export interface Attempt {
  /** Null until an answer shows it: the answer to the claim was lost. */
  readonly token: string | null;
  /** Nobody knows how it ended. */
  readonly unresolved: boolean;
  readonly said: readonly Said[];
}

/** A moment that is known only to lie between two. Milliseconds since 1970. */
export interface Between {
  readonly from: number;
  readonly to: number;
}

/** What the specification knows of an action. */
export interface ActionState {
  readonly state: State;
  /** Attempt n is at index n − 1. */
  readonly attempts: readonly Attempt[];
  readonly seq: number;
  readonly claimedFrom: State;
  /** The end of the lease; of no meaning unless in progress. */
  readonly lease: Between;
  readonly leaseMs: number;
  /** The call that made the present claim. */
  readonly call: string | null;
  readonly holder: string | null;
  readonly effectSeen: boolean;
  /** Null before the first claim, and until an answer shows it. */
  readonly idempotencyKey: string | null;
  readonly formerKey: string | null;
  /** Attempts under the key that were not released. */
  readonly sentUnderKey: number;
  /** The only attempt ever sent under the key has a failed receipt. */
  readonly keyIsSpent: boolean;
  /** When no repeat under the key is safe any more; null where none ever was. */
  readonly repeatsEnd: Between | null;
  readonly failedReceipts: number;
  readonly details: string | null;
  readonly references: readonly string[];
  /** Whose receipt confirmed it; 0: a reconciliation. */
  readonly confirmedBy: number | null;
  /** A reconciliation said of the attempts up to this one that nothing happened. */
  readonly deniedUpTo: number;
  /** The database's clock had come so far when something that was explained took effect. */
  readonly clock: number;
}

export const NO_ACTION: ActionState = {
  state: 'none',
  attempts: [],
  seq: 0,
  claimedFrom: 'none',
  lease: { from: 0, to: 0 },
  leaseMs: 0,
  call: null,
  holder: null,
  effectSeen: false,
  idempotencyKey: null,
  formerKey: null,
  sentUnderKey: 0,
  keyIsSpent: false,
  repeatsEnd: null,
  failedReceipts: 0,
  details: null,
  references: [],
  confirmedBy: null,
  deniedUpTo: 0,
  clock: 0,
};

/** What a command meets: the action, and when the command can have taken effect. */
export interface Situation {
  readonly action: ActionState;
  readonly window: Window;
  /** When the call was made and answered (Infinity: never). */
  readonly invoked: number;
  readonly ends: number;
  readonly rules: Rules;
}

/** One thing that may come of a command. */
export interface Outcome {
  readonly next: ActionState;
  /** The decision or the result; `refused: <code>` for a problem. */
  readonly says: string;
  /** Where the answer has these fields, they say so. */
  readonly shows?: { readonly replayed?: boolean; readonly repeat?: boolean; readonly late?: boolean };
  readonly contradicts?: boolean;
  /** The answer hands out the claim token and the idempotency key of the present attempt. */
  readonly grants?: boolean;
  /** It can be only while the lease of the action lasts. */
  readonly whileLeased?: boolean;
}

export const attemptNumber = ({ attempts }: ActionState): number => attempts.length;

/** The attempt that was given the token; 0 where none was. */
export const attemptOf = ({ attempts }: ActionState, token: string): number =>
  attempts.findIndex((attempt) => attempt.token === token) + 1;

export function mayBeLive({ action, window, rules }: Situation): boolean {
  return window.from < action.lease.to + rules.clockToleranceMs;
}

export function mayBeOver({ action, window, rules }: Situation): boolean {
  return window.to > action.lease.from - rules.clockToleranceMs;
}

/** The same, and the lease's end has come. */
export const afterLease = (action: ActionState): ActionState => ({
  ...action,
  clock: Math.max(action.clock, action.lease.from),
});

/** A transition: each leaves one history row. */
export const moved = (action: ActionState, changes: Partial<ActionState>): ActionState => ({
  ...action,
  ...changes,
  seq: action.seq + 1,
});

export function withAttempt(action: ActionState, number: number, changes: Partial<Attempt>): readonly Attempt[] {
  return action.attempts.map((attempt, index) => (index === number - 1 ? { ...attempt, ...changes } : attempt));
}

export const othersUnresolved = ({ attempts }: ActionState, number: number): boolean =>
  attempts.some(({ unresolved }, index) => unresolved && index !== number - 1);

/** What ends a claim without saying that it did not happen: unknown, unless an older attempt's effect was seen. */
export const openEnd = (action: ActionState): Pick<ActionState, 'state' | 'effectSeen'> => ({
  state: action.effectSeen ? 'confirmed' : 'unknown',
  effectSeen: false,
});

/** The lease's end, which nobody need ask for; null where it cannot have come. */
export function leaseEnded(s: Situation): ActionState | null {
  if (s.action.state !== 'in_progress' || !mayBeOver(s)) return null;
  return afterLease(moved(s.action, openEnd(s.action)));
}
