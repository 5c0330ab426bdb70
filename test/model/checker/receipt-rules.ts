import {
  type ActionState,
  afterLease,
  type Attempt,
  attemptNumber,
  attemptOf,
  mayBeLive,
  mayBeOver,
  moved,
  openEnd,
  othersUnresolved,
  type Outcome,
  type Said,
  type Situation,
  withAttempt,
} from './action-state';
import { type ReceiptOperation } from './history';

/** A receipt as the rules see it: of which attempt, and what that attempt was said before. */
interface Receipt {
  readonly s: Situation;
  readonly action: ActionState;
  readonly number: number;
  readonly attempt: Attempt;
  readonly said: Said;
  /** Of the attempt that was granted last. */
  readonly present: boolean;
}

export function receipt(operation: ReceiptOperation, s: Situation): Outcome[] {
  const { action } = s;
  const number = attemptOf(action, operation.claimToken);
  const attempt = action.attempts[number - 1];
  if (attempt === undefined) return [{ next: action, says: 'refused: claim_token_unknown' }];
  const said: Said = {
    outcome: operation.outcome,
    references: operation.references ?? [],
    evidence: operation.evidence ?? null,
  };
  const r: Receipt = { s, action, number, attempt, said, present: number === attemptNumber(action) };
  return saidAgain(r) ?? { confirmed, failed, unknown }[operation.outcome](r);
}

/** The same attempt, outcome and reference: said before. Other evidence is added. */
function saidAgain({ action, number, attempt, said }: Receipt): Outcome[] | null {
  // An *unknown* takes back what was said in between, which must not be filed away as a repetition.
  if (said.outcome === 'unknown' && attempt.said.at(-1)?.outcome !== 'unknown') return null;
  const same = attempt.said.filter(
    (before) => before.outcome === said.outcome && sameReferences(before.references, said.references),
  );
  if (same.length === 0) return null;
  const nothingNew = said.evidence === null || same.some(({ evidence }) => evidence === said.evidence);
  const next = nothingNew
    ? action
    : moved(action, { attempts: withAttempt(action, number, { said: [...attempt.said, said] }) });
  return [{ next, says: 'recorded', shows: { replayed: true } }];
}

const sameReferences = (a: readonly string[], b: readonly string[]): boolean =>
  new Set([...a, ...b]).size === new Set(a).size && new Set(a).size === new Set(b).size;

/** The receipt is kept; what it changes besides. */
function kept(
  { action, number, attempt, said }: Receipt,
  changes: Partial<ActionState> = {},
  of: Partial<Attempt> = {},
): ActionState {
  const attempts = withAttempt(action, number, { said: [...attempt.said, said], ...of });
  // A receipt for what was released: it was sent after all.
  const released = attempt.said.at(-1)?.outcome === 'released';
  const references =
    said.outcome === 'confirmed' ? [...new Set([...action.references, ...said.references])] : action.references;
  return moved(action, { attempts, references, sentUnderKey: action.sentUnderKey + (released ? 1 : 0), ...changes });
}

const recorded = (next: ActionState, shows: Outcome['shows'] = {}, contradicts = false): Outcome => ({
  next,
  says: 'recorded',
  shows: { replayed: false, ...shows },
  ...(contradicts ? { contradicts } : {}),
});

/** Positive evidence is never refused. */
function confirmed(r: Receipt): Outcome[] {
  const { action, number, present, attempt } = r;
  const confirms = { state: 'confirmed', effectSeen: false, confirmedBy: number } as const;
  switch (action.state) {
    case 'in_progress': {
      if (!present) {
        const next = kept(r, { effectSeen: true, confirmedBy: action.confirmedBy ?? number });
        return [recorded(next, { late: true }, true)];
      }
      const next = kept(r, action.effectSeen ? { ...confirms, confirmedBy: action.confirmedBy } : confirms);
      const second = action.effectSeen && twoEffects(r) === 'yes';
      return [
        ...(mayBeLive(r.s) ? [recorded(next, { late: false }, second)] : []),
        ...(mayBeOver(r.s) ? [recorded(afterLease(next), { late: true }, second)] : []),
      ];
    }
    case 'confirmed': {
      const two = twoEffects(r);
      return [
        ...(two === 'no' ? [] : [{ next: kept(r), says: 'contradiction', contradicts: true }]),
        ...(two === 'yes' ? [] : [recorded(kept(r))]),
      ];
    }
    default: {
      const denied =
        action.state === 'failed' ||
        number <= action.deniedUpTo ||
        attempt.said.some(({ outcome }) => outcome === 'failed');
      return [recorded(kept(r, confirms), { late: true }, denied)];
    }
  }
}

/** *Two effects?*: both name the effect, and differ. Of two attempts without names nobody can say. */
function twoEffects({ action, number, said }: Receipt): 'yes' | 'no' | 'perhaps' {
  if (action.references.length > 0 && said.references.length > 0) {
    return said.references.every((reference) => action.references.includes(reference)) ? 'no' : 'yes';
  }
  return action.confirmedBy === null || action.confirmedBy === 0 || action.confirmedBy === number ? 'no' : 'perhaps';
}

function failed(r: Receipt): Outcome[] {
  const { action, number, present, attempt } = r;
  const counted = { failedReceipts: action.failedReceipts + (attempt.unresolved ? 1 : 0) };
  const resolved = { unresolved: false };
  if (action.state === 'in_progress' && present && action.effectSeen) return [recorded(kept(r, openEnd(action)))];
  const open = action.state === 'in_progress' || action.state === 'unknown';
  if (open && present && attempt.unresolved && !othersUnresolved(action, number)) {
    const next = kept(r, { ...counted, state: 'failed' }, resolved);
    return [recorded({ ...next, keyIsSpent: next.sentUnderKey === 1 })];
  }
  if (action.state === 'in_progress' && present) {
    return [recorded(kept(r, { ...counted, state: 'unknown' }, resolved))];
  }
  if (action.state === 'unknown' && (present || othersUnresolved(action, number))) {
    return [recorded(kept(r, counted, resolved))];
  }
  if (action.state === 'confirmed' && present) return [{ next: kept(r), says: 'contradiction', contradicts: true }];
  if (!present) return [superseded(r, action.state === 'confirmed' ? {} : counted, resolved)];
  return [{ next: action, says: 'not_applicable' }];
}

function unknown(r: Receipt): Outcome[] {
  const { action, present } = r;
  const unresolved = { unresolved: true };
  switch (action.state) {
    case 'in_progress':
      if (present) return [recorded(kept(r, openEnd(action), action.effectSeen ? {} : unresolved))];
      break;
    case 'unknown':
      if (present) return [recorded(kept(r, {}, unresolved))];
      break;
    case 'failed':
      if (present) return [recorded(kept(r, { state: 'unknown', keyIsSpent: false }, unresolved), {}, true)];
      break;
    case 'pending':
    case 'confirmed':
      // "Same, evidence added" for any attempt; an older one may as well be told that it was superseded.
      return [recorded(kept(r, {}, reopened(r))), ...(present ? [] : [superseded(r, {}, reopened(r))])];
    case 'none':
  }
  return [superseded(r, {}, reopened(r))];
}

/** *Unknown* takes back that it failed, or that it was not sent. */
function reopened({ action, attempt }: Receipt): Partial<Attempt> {
  const last = attempt.said.at(-1)?.outcome;
  return action.state !== 'confirmed' && (last === 'failed' || last === 'released') ? { unresolved: true } : {};
}

const superseded = (r: Receipt, changes: Partial<ActionState>, of: Partial<Attempt>): Outcome => ({
  next: kept(r, changes, r.action.state === 'confirmed' ? {} : of),
  says: 'superseded',
});
