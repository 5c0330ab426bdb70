import { type ActionState, attemptNumber, mayBeLive, moved, type Outcome, type Situation } from './action-state';
import { type ClaimOperation } from './history';

/** Share of the destination's window that is kept as a margin. */
const WINDOW_MARGIN = 0.1;

/** The order of a claim's checks: the same call again, other details, then the row of the state. */
export function claim(operation: ClaimOperation, s: Situation): Outcome[] {
  const { action, rules } = s;
  const call = callOf(operation);
  if (action.state === 'in_progress' && call !== null && call === action.call && mayBeLive(s)) {
    return [{ next: action, says: 'proceed', shows: { replayed: true }, grants: true, whileLeased: true }];
  }
  const details = operation.details ?? null;
  if (action.details !== null && details !== null && details !== action.details) {
    return [{ next: action, says: 'mismatch' }];
  }
  // Details that come first with a later claim are stored, and the history says when.
  const next = details !== null && action.details === null ? moved(action, { details }) : action;
  switch (action.state) {
    case 'none':
    case 'pending':
      return [grant(operation, s)];
    case 'in_progress':
      return mayBeLive(s) ? [{ next, says: 'in_progress', whileLeased: true }] : [];
    case 'unknown':
      return [
        ...(mayRepeat(operation, s, 'safe') ? [grant(operation, s)] : []),
        ...(mayRepeat(operation, s, 'unsafe') ? [{ next, says: 'unknown' }] : []),
      ];
    case 'confirmed':
      return [{ next, says: 'already_done' }];
    case 'failed':
      return rules.retryAfterFailure && action.failedReceipts < rules.maxAttempts
        ? [grant(operation, s)]
        : [{ next, says: 'failed' }];
  }
}

export function callOf(operation: { readonly requestToken: string | null; readonly position?: number }): string | null {
  return operation.requestToken === null ? null : `${operation.requestToken} ${operation.position ?? 0}`;
}

/** Whether a repeat under the same key can be, or can not be, safe at a moment of the window. */
function mayRepeat(operation: ClaimOperation, { action, rules, window }: Situation, which: 'safe' | 'unsafe'): boolean {
  const asked =
    rules.safeRepeat !== null &&
    operation.sendsIdempotencyKey === true &&
    operation.details != null &&
    operation.details === action.details;
  const end = action.repeatsEnd;
  if (!asked || end === null) return which === 'unsafe';
  const leaseMs = operation.leaseMs ?? rules.leaseMs;
  return which === 'safe' ? window.from + leaseMs <= end.to : window.to + leaseMs > end.from;
}

/** A new attempt: its number, its lease and the idempotency key that goes to the destination. */
function grant(operation: ClaimOperation, s: Situation): Outcome {
  const { action, rules, invoked, ends } = s;
  const leaseMs = operation.leaseMs ?? rules.leaseMs;
  const repeat = action.state === 'unknown';
  const newKey = attemptNumber(action) === 0 || (action.keyIsSpent && action.sentUnderKey === 1);
  const details = action.details ?? operation.details ?? null;
  const from = invoked - rules.clockToleranceMs;
  const to = ends + rules.clockToleranceMs;
  const granted: Partial<ActionState> = {
    state: 'in_progress',
    attempts: [...action.attempts, { token: null, unresolved: true, said: [] }],
    claimedFrom: action.state === 'none' ? 'pending' : action.state,
    // A repeat's lease never outlasts the time in which repeating is safe.
    lease: { from: repeat ? from : from + leaseMs, to: to + leaseMs },
    leaseMs,
    call: callOf(operation),
    holder: operation.holder ?? null,
    details,
    keyIsSpent: false,
    ...(newKey
      ? {
          idempotencyKey: null,
          formerKey: action.idempotencyKey,
          sentUnderKey: 1,
          repeatsEnd: repeatsEnd(operation, s, details),
        }
      : {
          sentUnderKey: action.sentUnderKey + 1,
          // A holder that does not send the key makes an effect that no repeat could be told from.
          repeatsEnd: operation.sendsIdempotencyKey === true ? action.repeatsEnd : null,
        }),
  };
  return { next: moved(action, granted), says: 'proceed', shows: { repeat, replayed: false }, grants: true };
}

/** What a repeat may rest on is recorded with the first attempt under the key. */
function repeatsEnd(
  operation: ClaimOperation,
  { rules, invoked, ends }: Situation,
  details: string | null,
): ActionState['repeatsEnd'] {
  if (rules.safeRepeat === null || operation.sendsIdempotencyKey !== true || details === null) return null;
  const lasts = rules.safeRepeat.windowMs * (1 - WINDOW_MARGIN);
  return { from: invoked + lasts - rules.clockToleranceMs, to: ends + lasts + rules.clockToleranceMs };
}
