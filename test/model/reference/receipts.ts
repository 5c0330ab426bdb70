import {
  type ActionStory,
  asText,
  type Attempt,
  attemptOf,
  currentAttempt,
  executionOf,
  lastWord,
  othersUnresolved,
  type Said,
  wasSaid,
} from './action-story';
import { type ReceiptAsk } from './asks';
import { ended } from './rules';
import { type Circumstances, confirmed, type Decision, record, unknown, waitsForSomebody } from './transition';

const MOST_REFERENCES = 100;

const sorted = (references: readonly string[]): string[] => [...new Set(references)].sort();

/** Those that were known come first where there are more than an action keeps. */
export function addReferences(action: ActionStory, more: readonly string[]): void {
  const news = more.filter((reference) => !action.references.includes(reference));
  action.references = sorted([...action.references, ...news].slice(0, MOST_REFERENCES));
}

export const referencesOf = ({ reference, references }: { reference?: string; references?: string[] }): string[] =>
  sorted([...(references ?? []), ...(reference === undefined ? [] : [reference])]);

/** A receipt on its way through the rules. */
interface Told {
  action: ActionStory;
  attempt: Attempt;
  isCurrent: boolean;
  /** n8n's manual Retry ran the step again without asking: another execution says so than the one that claimed. */
  retried: boolean;
  said: Said;
  outcome: ReceiptAsk['outcome'];
  /** Facts and details of its history entry. */
  entry: { attempt: number; facts: Record<string, unknown>; details: unknown };
  /** A cause in the form of a code. */
  causeCode: string | null;
  given: Circumstances;
}

export function receipt(action: ActionStory, ask: ReceiptAsk, given: Circumstances): Decision {
  const told = toldBy(action, ask, given);
  const late = isLate(told);
  const decision = again(told) ?? (ask.outcome === 'confirmed' ? tellConfirmed(told) : tellOther(told));
  return decision.answer === 'not_applicable' ? decision : { ...decision, late };
}

function toldBy(action: ActionStory, ask: ReceiptAsk, given: Circumstances): Told {
  const attempt = attemptOf(action, ask.attempt);
  const isCurrent = ask.attempt === currentAttempt(action);
  const references = referencesOf(ask);
  const cause = ask.cause?.trim() || null;
  const evidence = ask.evidence ?? null;
  const execution = executionOf(ask.holder);
  const claimedBy = executionOf(action.holder);
  return {
    action,
    attempt,
    isCurrent,
    retried: isCurrent && execution !== null && claimedBy !== null && execution !== claimedBy,
    said: { word: ask.outcome, references, evidence: evidence === null ? null : asText(evidence) },
    outcome: ask.outcome,
    entry: {
      attempt: ask.attempt,
      facts: { outcome: ask.outcome, ...(references.length === 0 ? {} : { references }) },
      details: evidence === null && cause === null ? null : { evidence, cause },
    },
    causeCode: ask.outcome === 'unknown' && cause !== null && /^[a-z][a-z0-9_]{0,63}$/.test(cause) ? cause : null,
    given,
  };
}

/** The lease was over, or something else had been recorded before. */
function isLate({ action, isCurrent, given }: Told): boolean {
  if (action.state === 'confirmed') return false;
  return action.state !== 'in_progress' || !isCurrent || ended(action, given.now, given.rules);
}

/**
 * Keeps what was said. An attempt that was released was sent after all; it counts under the present key, since a key that
 * stays is always safe.
 */
function hear({ action, attempt, said, outcome }: Told): void {
  attempt.said.push(said);
  if (!attempt.sent) Object.assign(attempt, { sent: true, key: action.keys.length - 1 });
  if (outcome === 'confirmed') addReferences(action, said.references);
}

function keep(told: Told, contradiction?: string): void {
  hear(told);
  const { action, outcome, given, entry } = told;
  record(action, `receipt_${outcome}`, action.state, given, { ...entry, contradiction });
}

/**
 * The same attempt, outcome and references once more. *Unknown* is said again only where it was the last word: it takes
 * back what was said in between.
 */
function again(told: Told): Decision | null {
  const { attempt, said, outcome } = told;
  if (outcome === 'unknown' && lastWord(attempt) !== 'unknown') return null;
  const before = attempt.said.filter(
    (one) => one.word === outcome && asText(one.references) === asText(said.references),
  );
  if (before.length === 0) return null;
  if (said.evidence === null || before.some(({ evidence }) => evidence === said.evidence)) {
    return { answer: 'recorded', replayed: true };
  }
  const contradiction = told.retried ? 'repeated_by_retry' : undefined;
  keep(told, contradiction);
  return { answer: 'recorded', replayed: true, contradiction };
}

/** Positive evidence is never refused or filed away. */
function tellConfirmed(told: Told): Decision {
  const { action, attempt, isCurrent, retried, given } = told;
  if (!given.rules.confirmationCounts(action, attempt.number)) {
    keep(told);
    return { answer: 'superseded' };
  }
  if (action.state === 'confirmed') {
    const contradiction = isSecondEffect(told) ? 'two_effects' : retried ? 'repeated_by_retry' : undefined;
    keep(told, contradiction);
    return { answer: contradiction === undefined ? 'recorded' : 'contradiction', contradiction };
  }
  if (action.state === 'in_progress' && !isCurrent) {
    action.effectSeen = true;
    action.confirmedBy ??= attempt.number;
    keep(told, 'older_attempt_confirmed');
    return { answer: 'recorded', contradiction: 'older_attempt_confirmed' };
  }
  const contradiction =
    action.state === 'in_progress'
      ? whileInProgress(told)
      : (against(told) ?? (retried ? 'repeated_by_retry' : undefined));
  if (!action.effectSeen) action.confirmedBy = attempt.number;
  hear(told);
  confirmed(action, 'receipt_confirmed', given, { ...told.entry, contradiction });
  return { answer: 'recorded', contradiction };
}

function whileInProgress(told: Told): string | undefined {
  if (told.action.effectSeen && isSecondEffect(told)) return 'two_effects';
  return told.retried ? 'repeated_by_retry' : undefined;
}

/** What the ledger had said that a confirmation speaks against. */
function against({ action, attempt }: Told): string | undefined {
  if (attempt.number <= action.notHappenedUpTo) return 'after_not_happened';
  return action.state === 'failed' || wasSaid(attempt, 'failed') ? 'after_failed' : undefined;
}

/** Both are named and the names differ, or two attempts are confirmed without a name that both share. */
function isSecondEffect({ action, attempt, said }: Told): boolean {
  if (action.references.length > 0 && said.references.length > 0) {
    return said.references.some((reference) => !action.references.includes(reference));
  }
  const { confirmedBy } = action;
  return confirmedBy !== null && confirmedBy !== 0 && confirmedBy !== attempt.number;
}

function tellOther(told: Told): Decision {
  const { action, isCurrent, outcome, given, entry } = told;
  if (action.state === 'in_progress' && isCurrent && action.effectSeen) {
    hear(told);
    confirmed(action, `receipt_${outcome}`, given, { ...entry, facts: { ...entry.facts, effectSeen: true } });
    return { answer: 'recorded' };
  }
  return outcome === 'failed' ? tellFailed(told) : tellUnknown(told);
}

function tellFailed(told: Told): Decision {
  const { action, attempt, isCurrent, retried, given, entry } = told;
  const { state } = action;
  const open = state === 'in_progress' || state === 'unknown';
  if (open && isCurrent && retried) {
    // It says how the second run ended, and nothing of the first.
    leaveUnknown(told, 'repeated_by_retry', 'repeated_by_retry');
    return { answer: 'recorded', contradiction: 'repeated_by_retry' };
  }
  if (open && given.rules.failedDecides(action, attempt)) {
    resolveFailed(told);
    hear(told);
    record(action, 'receipt_failed', 'failed', given, entry);
    action.cause = 'failed_receipt';
    action.keyFailedBy = attempt.number;
    waitsForSomebody(action, given);
    return { answer: 'recorded' };
  }
  if (state === 'in_progress' && isCurrent) {
    resolveFailed(told);
    hear(told);
    unknown(action, 'receipt_failed', 'repeat_refused', given, {
      ...entry,
      facts: { ...entry.facts, cause: 'repeat_refused' },
    });
    return { answer: 'recorded' };
  }
  if (state === 'confirmed') {
    // What speaks against the confirmation is kept and not believed: the attempt stays as it was.
    keep(told, isCurrent ? 'failed_after_confirmed' : undefined);
    return isCurrent ? { answer: 'contradiction', contradiction: 'failed_after_confirmed' } : { answer: 'superseded' };
  }
  const recorded = state === 'unknown' && (isCurrent || othersUnresolved(action, attempt.number));
  if (!recorded && isCurrent) return { answer: 'not_applicable' };
  resolveFailed(told);
  keep(told);
  return { answer: recorded ? 'recorded' : 'superseded' };
}

/** Its own failed receipt ends an attempt, and counts. */
function resolveFailed({ action, attempt }: Told): void {
  if (attempt.unresolved) action.failedReceipts += 1;
  attempt.unresolved = false;
}

function tellUnknown(told: Told): Decision {
  const { action, isCurrent, retried } = told;
  const takesBack = takenBack(told);
  if (isCurrent && (action.state === 'in_progress' || action.state === 'unknown')) {
    const contradiction = retried ? 'repeated_by_retry' : takesBack;
    leaveUnknown(told, 'unknown_receipt', contradiction);
    return { answer: 'recorded', contradiction };
  }
  if (isCurrent && action.state === 'failed') {
    leaveUnknown(told, 'unknown_receipt', 'unknown_after_failed');
    return { answer: 'recorded', contradiction: 'unknown_after_failed' };
  }
  if (takesBack !== undefined) told.attempt.unresolved = true;
  keep(told, takesBack);
  const answer = action.state === 'pending' || action.state === 'confirmed' ? 'recorded' : 'superseded';
  return { answer, contradiction: takesBack };
}

/** An unknown receipt that takes back a *failed* or *not sent* opens its attempt again, and is a contradiction. */
function takenBack({ attempt }: Told): string | undefined {
  const last = lastWord(attempt);
  return last === 'failed' || last === 'released' ? `unknown_after_${last}` : undefined;
}

function leaveUnknown(told: Told, code: string, contradiction?: string): void {
  const { action, attempt, given, entry, causeCode } = told;
  attempt.unresolved = true;
  action.keyFailedBy = null;
  hear(told);
  const cause = causeCode ?? code;
  unknown(action, `receipt_${told.outcome}`, cause, given, {
    ...entry,
    facts: { ...entry.facts, cause },
    contradiction,
  });
}
