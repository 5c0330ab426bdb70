import { type Action, type Contradiction, MAX_RECEIPT_MARKS, type OpenItem, type ReceiptMark } from '../action';
import { type Change, type Schedule, type Situation } from '../decision';
import { type StoredState } from '../states';

const HOUR = 3_600_000;

/** The action of a situation whose row says that there is one. */
export function existing(s: Situation): Action {
  if (s.action === null) throw new Error(`${s.command.kind} was decided on an action that does not exist`);
  return s.action;
}

export function dueAt(schedule: Schedule, now: number, before = now): number {
  const { due } = schedule;
  const at = due === undefined ? before : 'at' in due ? due.at : now + due.inMs;
  return Math.max(Math.min(at, schedule.notAfter ?? Infinity), schedule.notBefore ?? -Infinity);
}

/** Puts an action into a state: the one place where state, since, open item and history number move together. */
export function move(
  s: Situation,
  to: StoredState,
  kind: string,
  changes: Partial<Action>,
  {
    facts = {},
    details = null,
    schedule,
    attempt,
    contradiction,
  }: {
    facts?: Record<string, unknown>;
    details?: unknown;
    schedule?: Schedule;
    attempt?: number;
    contradiction?: Contradiction | undefined;
  } = {},
): Change {
  const action = { ...existing(s), ...changes };
  const from = s.action?.no === 0 && s.action.historySeq === 0 ? 'none' : existing(s).state;
  if (contradiction !== undefined && !action.contradictions.includes(contradiction)) {
    action.contradictions = [...action.contradictions, contradiction];
  }
  const next: Action = {
    ...action,
    state: to,
    since: to === from ? action.since : s.now,
    historySeq: action.historySeq + 1,
    open: openAfter(s, to, existing(s).open, changes.open, schedule),
  };
  return {
    next,
    entry: {
      kind,
      from,
      to,
      attempt: attempt ?? next.attempt,
      facts: contradiction === undefined ? facts : { ...facts, contradiction },
      details,
    },
    ...(schedule === undefined ? {} : { schedule }),
    ...(contradiction === undefined ? {} : { contradiction }),
  };
}

function settleFrom({ settleFrom: from, settleFromWrite }: Schedule, now: number): number | undefined {
  return from !== undefined && settleFromWrite === true ? Math.max(now, from) : from;
}

function openAfter(
  s: Situation,
  to: StoredState,
  before: OpenItem | null,
  given: OpenItem | null | undefined,
  schedule: Schedule | undefined,
): OpenItem | null {
  if (to === 'confirmed') return null;
  if (schedule === undefined) return given === undefined ? before : given;
  return {
    dueAt: dueAt(schedule, s.now, before?.dueAt),
    settleFrom: settleFrom(schedule, s.now) ?? before?.settleFrom ?? null,
    reviewBy: schedule.reviewInMs === undefined ? (before?.reviewBy ?? null) : s.now + schedule.reviewInMs,
    owner: given === undefined ? (before?.owner ?? null) : (given?.owner ?? null),
    holder: to === 'in_progress' ? (given?.holder ?? before?.holder ?? null) : null,
  };
}

/**
 * Unknown is looked at from now on, and overdue after the operation's time to review. The settle time counts from the
 * lease's end or from what was said now, whichever is later.
 */
export function review(s: Situation): Schedule {
  // What is unknown already keeps its clock: saying so again does not put the review off.
  if (existing(s).state === 'unknown') return { settleFrom: existing(s).open?.settleFrom ?? 0, settleFromWrite: true };
  return {
    due: { inMs: 0 },
    reviewInMs: s.policy.reviewHours * HOUR,
    settleFrom: leaseEnd(existing(s)),
    settleFromWrite: true,
  };
}

/** The end of the lease of an action that is in progress. */
export const leaseEnd = ({ state, open }: Action): number => (state === 'in_progress' ? (open?.dueAt ?? 0) : 0);

/** Pending and claimable failed actions are shown when nobody came back for them. */
export const comeBack = (s: Situation): Schedule => ({
  due: { inMs: s.policy.reviewHours * HOUR },
  reviewInMs: s.policy.reviewHours * HOUR,
});

/** For an action that was not open: the schedule of the change fills it in. */
export const UNSCHEDULED: OpenItem = { dueAt: 0, reviewBy: null, settleFrom: null, owner: null, holder: null };

export const without = (attempts: readonly number[], attempt: number): number[] =>
  attempts.filter((one) => one !== attempt);

export function marked(action: Action, mark: ReceiptMark): ReceiptMark[] {
  return [...action.receipts, mark].slice(-MAX_RECEIPT_MARKS);
}
