import { type ActionStory, currentAttempt, type HistoryEntry, type State } from './action-story';
import { after, later, type Moment, type Reading } from './moments';
import { type Rules } from './rules';
import { type Policy } from './world';

const HOUR = 3_600_000;

/** What a command meets besides the action. */
export interface Circumstances {
  now: Reading;
  policy: Policy;
  rules: Rules;
}

/** What a command is answered. */
export interface Decision {
  answer: string;
  /** It was answered before, and this is its answer again. */
  replayed?: boolean;
  late?: boolean;
  contradiction?: string | undefined;
}

type EntryParts = Partial<Pick<HistoryEntry, 'attempt' | 'facts' | 'details'>> & { contradiction?: string | undefined };

/** Every transition writes one row of history; the state's own time moves with the state only. */
export function record(
  action: ActionStory,
  kind: string,
  to: State,
  { now }: Circumstances,
  { attempt = currentAttempt(action), facts = {}, details = null, contradiction }: EntryParts = {},
): void {
  const from = action.history.length === 0 ? 'none' : action.state;
  const allFacts = contradiction === undefined ? facts : { ...facts, contradiction };
  action.history.push({ at: after(now), kind, from, to, attempt, facts: allFacts, details });
  if (contradiction !== undefined && !action.contradictions.includes(contradiction)) {
    action.contradictions.push(contradiction);
  }
  if (from !== to) action.since = after(from === 'none' ? momentOfBirth(now) : now);
  action.state = to;
}

/** What is born in a statement is stamped when its row is made, a little before all locks are held and the rest is. */
export const momentOfBirth = (now: Reading): Reading => ({ ...now });

export function confirmed(action: ActionStory, kind: string, given: Circumstances, entry: EntryParts = {}): void {
  record(action, kind, 'confirmed', given, entry);
  Object.assign(action, { cause: null, effectSeen: false, due: null, reviewBy: null, settleFrom: null, owner: null });
}

/**
 * Unknown is due at once and overdue after the time to review. The settle time runs from the lease's end or from what
 * was said now, whichever is later. What is unknown already keeps its clock: saying so again puts the review not off.
 */
export function unknown(
  action: ActionStory,
  kind: string,
  cause: string | null,
  given: Circumstances,
  entry: EntryParts = {},
): void {
  const { now, policy } = given;
  const said = after(now);
  if (action.state === 'unknown') {
    action.settleFrom = action.settleFrom === null ? said : later(action.settleFrom, said);
  } else {
    const leaseEnd = action.state === 'in_progress' ? action.due : null;
    action.settleFrom = leaseEnd === null ? said : later(leaseEnd, said);
    action.due = said;
    action.reviewBy = after(now, policy.reviewHours * HOUR);
    action.cause = cause;
  }
  record(action, kind, 'unknown', given, entry);
}

/** When a lease is over is known, however late it is noticed: the settle time counts from its end. */
export function leaseEnds(action: ActionStory, given: Circumstances): void {
  if (action.effectSeen) {
    confirmed(action, 'lease_expired', given, { facts: { effectSeen: true } });
    return;
  }
  const leaseEnd = action.due;
  unknown(action, 'lease_expired', 'lease_expired', given, { facts: { cause: 'lease_expired' } });
  action.settleFrom = leaseEnd;
}

/** Pending and failed actions are shown when nobody came back for them. */
export function waitsForSomebody(action: ActionStory, { now, policy }: Circumstances, due: Moment | null = null): void {
  action.due = due ?? after(now, policy.reviewHours * HOUR);
  action.reviewBy = after(now, policy.reviewHours * HOUR);
}
