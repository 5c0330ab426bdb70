import { type Holder } from './asks';
import { type Moment } from './moments';

export type State = 'pending' | 'in_progress' | 'confirmed' | 'failed' | 'unknown';

export type Word = 'confirmed' | 'failed' | 'unknown' | 'released' | 'not_happened';

/** Something that was said of an attempt. */
export interface Said {
  word: Word;
  /** Sorted, each once. */
  references: string[];
  /** The evidence in a form in which equal evidence is equal text. */
  evidence: string | null;
}

/** One permission and everything that was said of it. */
export interface Attempt {
  number: number;
  /** The state that the action was claimed from. */
  from: State;
  /** The place of the idempotency key that it counts under. */
  key: number;
  /** False for one that was released: it counts as never sent, until a receipt of it comes. */
  sent: boolean;
  /** Nobody knows yet whether it had its effect. */
  unresolved: boolean;
  said: Said[];
}

/** An idempotency key of the action. */
export interface IdempotencyKey {
  claimedAt: Moment;
  /** How long a repeat under it is safe, before the margin; null where it never is. Milliseconds. */
  windowMs: number | null;
}

export interface HistoryEntry {
  at: Moment;
  kind: string;
  from: State | 'none';
  to: State;
  attempt: number;
  facts: Record<string, unknown>;
  details: unknown;
}

export interface ActionStory {
  state: State;
  since: Moment;
  createdAt: Moment;
  attempts: Attempt[];
  keys: IdempotencyKey[];
  /** The attempt whose failed receipt made the action *failed*, as the only one that was sent under its key. */
  keyFailedBy: number | null;
  /** The call that made the present claim. */
  call: { requestToken: string | undefined; position: number } | null;
  holder: Holder | null;
  leaseMs: number;
  /** As text in which equal details are equal. */
  details: string | null;
  failedReceipts: number;
  /** An older attempt was confirmed while a newer one holds the lease. */
  effectSeen: boolean;
  /** Attempts up to this one were reconciled as not happened. */
  notHappenedUpTo: number;
  references: string[];
  /** 0: by a reconciliation. */
  confirmedBy: number | null;
  contradictions: string[];
  cause: string | null;
  /** End of the lease, next check, or when it is shown as claimable again; null when confirmed. */
  due: Moment | null;
  reviewBy: Moment | null;
  settleFrom: Moment | null;
  owner: string | null;
  history: HistoryEntry[];
}

export const currentAttempt = (action: ActionStory): number => action.attempts.length;

export function attemptOf(action: ActionStory, number: number): Attempt {
  const attempt = action.attempts[number - 1];
  if (attempt === undefined) throw new Error(`There is no attempt ${number}`);
  return attempt;
}

export const lastWord = ({ said }: Attempt): Word | null => said.at(-1)?.word ?? null;

export const wasSaid = ({ said }: Attempt, word: Word): boolean => said.some((one) => one.word === word);

/** Whether an attempt besides this one may have had its effect. */
export const othersUnresolved = (action: ActionStory, number: number): boolean =>
  action.attempts.some((attempt) => attempt.unresolved && attempt.number !== number);

/** The attempts that were sent under the present idempotency key. */
export const sentUnderPresentKey = (action: ActionStory): number[] =>
  action.attempts.filter(({ key, sent }) => sent && key === action.keys.length - 1).map(({ number }) => number);

/** Text in which equal JSON is equal, whatever the order of its members. */
export function asText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(asText).join()}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${JSON.stringify(name)}:${asText(member)}`);
    return `{${members.join()}}`;
  }
  return JSON.stringify(value);
}

/** One execution of one instance. Null where the holder did not say which. */
export const executionOf = (holder: Holder | null | undefined): string | null =>
  holder?.executionId ? asText([holder.instanceId ?? '', holder.workflowId ?? '', holder.executionId]) : null;
