import { type ActionState, attemptNumber, type Outcome, type Situation, withAttempt } from './action-state';
import { type Answer, type ReceiptShown } from './history';

/** All fields that an answer of any kind may have. */
interface AnyAnswer {
  readonly refused?: string;
  readonly decision?: string;
  readonly result?: string;
  readonly state?: string | null;
  readonly attempt?: number | null;
  readonly historySeq?: number | null;
  readonly claimToken?: string | null;
  readonly idempotencyKey?: string | null;
  readonly leaseExpiresAt?: string | null;
  readonly lease?: { readonly expiresAt: string } | null;
  readonly receipt?: ReceiptShown | null;
  readonly references?: readonly string[];
  readonly repeat?: boolean;
  readonly replayed?: boolean;
  readonly late?: boolean;
  readonly contradiction?: string | null;
}

/** References that a claim's answer shows of many. */
const REFERENCES_SHOWN = 10;

export const saidBy = (answer: Answer): string => {
  const { refused, decision, result, state } = answer as AnyAnswer;
  return refused === undefined ? (decision ?? result ?? state ?? 'nothing') : `refused: ${refused}`;
};

/**
 * Holds an answer against what the specification expects. Returns the state with what the answer reveals of it (a token,
 * a key, the end of a lease), or in words why the answer cannot be.
 */
export function compareAnswer(outcome: Outcome, given: Answer, s: Situation): ActionState | string {
  const answer: AnyAnswer = given;
  const said = saidBy(given);
  if (said !== outcome.says) return `the answer would be ${outcome.says}`;
  const { next } = outcome;
  const wrong =
    differs('state', answer.state, next.state) ??
    differs('attempt', answer.attempt, attemptNumber(next)) ??
    differs('historySeq', answer.historySeq, next.seq) ??
    differs('repeat', answer.repeat, outcome.shows?.repeat) ??
    differs('replayed', answer.replayed, outcome.shows?.replayed) ??
    differs('late', answer.late, outcome.shows?.late) ??
    (outcome.contradicts === true && answer.contradiction === null ? 'a contradiction would be named' : null) ??
    receiptDiffers(answer, next) ??
    differs('references', inOrder(answer.references), inOrder(next.references));
  if (wrong !== null) return wrong;
  const keyed = outcome.grants === true ? withToken(next, answer.claimToken) : next;
  if (typeof keyed === 'string') return keyed;
  const known = withKey(keyed, answer.idempotencyKey);
  if (typeof known === 'string') return known;
  const leased = withLease(known, answer.leaseExpiresAt ?? answer.lease?.expiresAt);
  if (typeof leased === 'string') return leased;
  if (outcome.whileLeased === true && s.window.from >= leased.lease.to + s.rules.clockToleranceMs) {
    return 'the lease had ended before the call was made';
  }
  return leased;
}

function differs<T extends string | number | boolean>(
  what: string,
  answered: T | null | undefined,
  expected: T | undefined,
): string | null {
  if (answered === undefined || answered === null || expected === undefined || answered === expected) return null;
  return `${what} would be ${String(expected)}`;
}

function receiptDiffers({ receipt }: AnyAnswer, next: ActionState): string | null {
  if (receipt === undefined) return null;
  if (receipt === null) return next.state === 'confirmed' ? 'the receipt would be there' : null;
  // Nothing is said about the order in which references are shown.
  const shown = next.references.length > REFERENCES_SHOWN ? undefined : inOrder(next.references);
  return (
    differs("the receipt's attempt", receipt.attempt, next.confirmedBy ?? undefined) ??
    differs("the receipt's references", inOrder(receipt.references), shown)
  );
}

const inOrder = (references: readonly string[] | undefined): string | undefined => references?.toSorted().join(' ');

function withToken(next: ActionState, token: string | null | undefined): ActionState | string {
  if (token === undefined || token === null) return next;
  const number = attemptNumber(next);
  const known = next.attempts[number - 1]?.token ?? null;
  if (known === null) {
    if (next.attempts.some((attempt) => attempt.token === token)) return 'the claim token is that of an older attempt';
    return { ...next, attempts: withAttempt(next, number, { token }) };
  }
  return known === token ? next : `attempt ${number} was given another claim token`;
}

function withKey(next: ActionState, key: string | null | undefined): ActionState | string {
  if (key === undefined || key === null) return next;
  if (attemptNumber(next) === 0) return 'there is no idempotency key before the first claim';
  if (next.idempotencyKey === null) {
    return key === next.formerKey
      ? 'the idempotency key would be a new one, as the only attempt under the old one failed'
      : { ...next, idempotencyKey: key };
  }
  return key === next.idempotencyKey ? next : 'the idempotency key would be the same as before';
}

function withLease(next: ActionState, expiresAt: string | null | undefined): ActionState | string {
  if (expiresAt === undefined || expiresAt === null || next.state !== 'in_progress') return next;
  const end = Date.parse(expiresAt);
  const { from, to } = next.lease;
  // Moments go over the wire in whole milliseconds.
  if (end < from - 1 || end > to + 1) {
    const between = from === to ? stamp(from) : `between ${stamp(from)} and ${stamp(to)}`;
    return `the lease would end ${between}`;
  }
  return { ...next, lease: { from: end, to: end } };
}

const stamp = (at: number): string => (Number.isFinite(at) ? new Date(at).toISOString() : 'any later moment');
