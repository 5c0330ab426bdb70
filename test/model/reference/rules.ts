import {
  type ActionStory,
  type Attempt,
  attemptOf,
  currentAttempt,
  lastWord,
  othersUnresolved,
  sentUnderPresentKey,
} from './action-story';
import { after, type Moment, notAfter, type Reading } from './moments';

/** The conditions that everything rests on. Apart from the rest, so that a model can be made to get one of them wrong. */
export interface Rules {
  leaseIsOver(action: ActionStory, now: Reading): boolean;
  /** Whether the next attempt gets a new idempotency key. */
  startsNewKey(action: ActionStory): boolean;
  /** Whether a failed receipt of the present attempt ends the action as *failed*. */
  failedDecides(action: ActionStory, attempt: Attempt): boolean;
  /** Whether a confirmed receipt counts. */
  confirmationCounts(action: ActionStory, attempt: number): boolean;
}

export const DESIGN: Rules = {
  leaseIsOver: (action, now) => action.due !== null && notAfter(action.due, after(now)),

  /**
   * Only after a failed receipt from the only attempt ever sent under the present one: what another attempt may still
   * send must meet the same key.
   */
  startsNewKey(action) {
    if (action.keys.length === 0) return true;
    const { keyFailedBy } = action;
    if (keyFailedBy === null) return false;
    const sent = sentUnderPresentKey(action);
    return sent.length === 1 && sent[0] === keyFailedBy && lastWord(attemptOf(action, keyFailedBy)) === 'failed';
  },

  failedDecides: (action, attempt) =>
    attempt.number === currentAttempt(action) && attempt.unresolved && !othersUnresolved(action, attempt.number),

  confirmationCounts: () => true,
};

/** Share of a destination's window that is kept as a margin between two clocks. */
const MARGIN = 10;

/** Until when a repeat under the present idempotency key is safe; null where it never is. */
export function safeUntil(action: ActionStory): Moment | null {
  const key = action.keys.at(-1);
  if (key === undefined || key.windowMs === null) return null;
  const { reading, plus } = key.claimedAt;
  return { reading, plus: plus + key.windowMs - key.windowMs / MARGIN };
}

export const ended = (action: ActionStory, now: Reading, rules: Rules): boolean =>
  action.state === 'in_progress' && rules.leaseIsOver(action, now);
