import { type ActionStory, asText, attemptOf, currentAttempt, othersUnresolved, wasSaid } from './action-story';
import { type ClaimItem, type Details, type HeartbeatAsk, type Holder, type ReleaseAsk } from './asks';
import { after, earlier, exactly, later, type Moment, notAfter } from './moments';
import { ended, safeUntil } from './rules';
import {
  type Circumstances,
  confirmed,
  type Decision,
  leaseEnds,
  momentOfBirth,
  record,
  unknown,
  waitsForSomebody,
} from './transition';

/** What a claim meets besides the action: its call, and the newest version of its stream. */
export interface ClaimCircumstances extends Circumstances {
  call: { requestToken: string | undefined; position: number };
  newestVersion: number | null;
}

const DAY = 86_400_000;

function unborn({ now }: Circumstances): ActionStory {
  return {
    state: 'pending',
    since: after(now),
    createdAt: after(momentOfBirth(now)),
    attempts: [],
    keys: [],
    keyFailedBy: null,
    call: null,
    holder: null,
    leaseMs: 0,
    details: null,
    failedReceipts: 0,
    effectSeen: false,
    notHappenedUpTo: 0,
    references: [],
    confirmedBy: null,
    contradictions: [],
    cause: null,
    due: null,
    reviewBy: null,
    settleFrom: null,
    owner: null,
    history: [],
  };
}

export const otherDetails = (action: ActionStory | null, details: Details | undefined): boolean =>
  action !== null && action.details !== null && details !== undefined && asText(details) !== action.details;

/** Details that come first with a later call are stored then. */
function keepFirstDetails(action: ActionStory, details: Details | undefined, given: Circumstances): void {
  if (action.details !== null || details === undefined) return;
  action.details = asText(details);
  record(action, 'details_recorded', action.state, given, { details });
}

export function register(
  action: ActionStory | null,
  { details, dueAt }: { details?: Details; dueAt?: number },
  given: Circumstances,
): [Decision, ActionStory] {
  if (action !== null) {
    if (otherDetails(action, details)) return [{ answer: 'mismatch' }, action];
    keepFirstDetails(action, details, given);
    return [{ answer: 'exists' }, action];
  }
  const born = unborn(given);
  born.details = details === undefined ? null : asText(details);
  record(born, 'registered', 'pending', given, { details: details ?? null });
  waitsForSomebody(born, given, dueAt === undefined ? null : exactly(dueAt));
  return [{ answer: 'registered' }, born];
}

/** The same call again: its transport's retry, which is told the same once more while its lease lives. */
const sameCall = (action: ActionStory | null, { call, now, rules }: ClaimCircumstances): boolean =>
  action?.state === 'in_progress' &&
  call.requestToken !== undefined &&
  action.call?.requestToken === call.requestToken &&
  action.call.position === call.position &&
  !rules.leaseIsOver(action, now);

const leaseMsOf = ({ leaseSeconds }: ClaimItem, { policy }: Circumstances): number =>
  (leaseSeconds ?? policy.leaseSeconds) * 1000;

const declares = ({ holder }: ClaimItem): boolean => holder?.sendsIdempotencyKey === true;

function safeRepeat(action: ActionStory, item: ClaimItem, given: ClaimCircumstances): boolean {
  const until = safeUntil(action);
  return (
    given.policy.safeRepeat &&
    until !== null &&
    declares(item) &&
    item.details !== undefined &&
    asText(item.details) === action.details &&
    notAfter(after(given.now, leaseMsOf(item, given)), until)
  );
}

export const claimableFailed = (action: ActionStory, { policy }: Pick<Circumstances, 'policy'>): boolean =>
  policy.retryAfterFailure && action.failedReceipts < policy.maxAttempts;

/** The row of the state; `proceed` where a permission may be given. */
function byState(action: ActionStory | null, item: ClaimItem, given: ClaimCircumstances): string {
  switch (action?.state) {
    case undefined:
    case 'pending':
      return 'proceed';
    case 'in_progress':
      return 'in_progress';
    case 'confirmed':
      return 'already_done';
    case 'unknown':
      return safeRepeat(action, item, given) ? 'proceed' : 'unknown';
    case 'failed':
      return claimableFailed(action, given) ? 'proceed' : 'failed';
  }
}

/** The replay window only refuses: on a key that does not exist, what is older than it or does not say how old it is. */
export function isTooOld(
  action: ActionStory | null,
  { subjectVersion, event }: ClaimItem,
  { policy, now }: Circumstances,
): boolean {
  if (action !== null || policy.replayWindowDays === null) return false;
  const eventAt = event?.occurredAt ?? subjectVersion?.occurredAt;
  return eventAt === undefined || !notAfter(after(now, -policy.replayWindowDays * DAY), exactly(eventAt));
}

/** What stops a claim that would otherwise proceed. */
function refused(action: ActionStory | null, item: ClaimItem, given: ClaimCircumstances): string | null {
  const { newestVersion } = given;
  const version = item.subjectVersion?.value ?? item.subjectVersion?.occurredAt;
  if (version !== undefined && newestVersion !== null && version < newestVersion) return 'stale';
  return isTooOld(action, item, given) ? 'too_old' : null;
}

export function claim(
  action: ActionStory | null,
  item: ClaimItem,
  given: ClaimCircumstances,
): [Decision, ActionStory | null] {
  if (sameCall(action, given)) return [{ answer: 'proceed', replayed: true }, action];
  if (otherDetails(action, item.details)) return [{ answer: 'mismatch' }, action];
  if (action !== null && ended(action, given.now, given.rules)) {
    // A transition of its own, with a time of its own; then the claim is decided once more.
    leaseEnds(action, { ...given, now: { ...given.now } });
  }
  const answer = byState(action, item, given);
  if (answer !== 'proceed') {
    if (action !== null) keepFirstDetails(action, item.details, given);
    return [{ answer }, action];
  }
  const refusal = refused(action, item, given);
  if (refusal !== null) return [{ answer: refusal }, action];
  return [{ answer }, grant(action ?? unborn(given), item, given)];
}

/** Who holds it; what it declared about the key is no part of that. */
function holderOf({ holder }: ClaimItem): Holder | null {
  if (holder === undefined) return null;
  const facts = { ...holder };
  delete facts.sendsIdempotencyKey;
  return facts;
}

/** A new attempt, its lease, and the idempotency key that its call to the destination carries. */
function grant(action: ActionStory, item: ClaimItem, given: ClaimCircumstances): ActionStory {
  const { now, policy, rules, call } = given;
  const from = action.state;
  const firstDetails = action.details === null ? item.details : undefined;
  if (firstDetails !== undefined) action.details = asText(firstDetails);
  if (rules.startsNewKey(action)) {
    const repeatable =
      policy.safeRepeat && policy.destinationIdempotency === 'key' && declares(item) && action.details !== null;
    const windowMs =
      repeatable && policy.destinationWindowSeconds !== null ? policy.destinationWindowSeconds * 1000 : null;
    const claimedAt = after(action.history.length === 0 ? momentOfBirth(now) : now);
    action.keys.push({ claimedAt, windowMs });
  } else if (!declares(item)) {
    // One that does not send the key, and its effect could not be told from a repeat's.
    action.keys.at(-1)!.windowMs = null;
  }
  action.keyFailedBy = null;
  const number = currentAttempt(action) + 1;
  action.attempts.push({ number, from, key: action.keys.length - 1, sent: true, unresolved: true, said: [] });
  Object.assign(action, { call, holder: holderOf(item), leaseMs: leaseMsOf(item, given) });
  action.due = leaseEndOf(action, given);
  const facts = {
    leaseMs: action.leaseMs,
    idempotencyKey: action.keys.length - 1,
    ...(action.holder === null ? {} : { holder: action.holder }),
    ...(item.event === undefined ? {} : { event: { source: item.event.source ?? 'default', id: item.event.id } }),
  };
  record(action, from === 'unknown' ? 'repeated' : 'claimed', 'in_progress', given, {
    facts,
    details: firstDetails ?? null,
  });
  return action;
}

/** A repeat's lease is never carried past the moment until which it is safe. */
function leaseEndOf(action: ActionStory, { now }: Circumstances): Moment {
  const end = after(now, action.leaseMs);
  const until = attemptOf(action, currentAttempt(action)).from === 'unknown' ? safeUntil(action) : null;
  return until === null ? end : earlier(end, until);
}

export function heartbeat(action: ActionStory, { attempt }: HeartbeatAsk, given: Circumstances): Decision {
  const holds =
    action.state === 'in_progress' &&
    attempt === currentAttempt(action) &&
    !ended(action, given.now, given.rules) &&
    !action.effectSeen;
  if (!holds) return { answer: 'lost' };
  action.due = later(action.due!, leaseEndOf(action, given));
  return { answer: 'extended' };
}

function isOfCurrentClaim(action: ActionStory, claim: ReleaseAsk['claim']): boolean {
  if ('attempt' in claim) return claim.attempt === currentAttempt(action);
  return action.call?.requestToken === claim.requestToken && action.call.position === claim.position;
}

/** *Not sent.* */
export function release(action: ActionStory, { claim }: ReleaseAsk, given: Circumstances): Decision {
  if (!isOfCurrentClaim(action, claim)) return { answer: 'not_applicable' };
  const attempt = attemptOf(action, currentAttempt(action));
  if (wasSaid(attempt, 'released')) return { answer: 'released', replayed: true };
  const open = action.state === 'in_progress' || action.state === 'unknown';
  if (!open || !attempt.unresolved || wasSaid(attempt, 'confirmed')) return { answer: 'not_applicable' };
  Object.assign(attempt, { unresolved: false, sent: false });
  attempt.said.push({ word: 'released', references: [], evidence: null });
  if (action.effectSeen) confirmed(action, 'released', given, { facts: { effectSeen: true } });
  // An earlier attempt may still have had its effect: not having sent this one says nothing about that one.
  else if (othersUnresolved(action, attempt.number) || attempt.from === 'unknown') {
    unknown(action, 'released', action.cause, given);
  } else {
    record(action, 'released', attempt.from, given);
    waitsForSomebody(action, given);
  }
  return { answer: 'released' };
}
