import { type ClaimCommand, type Command } from './commands';
import * as is from './conditions';
import { type Answer, type Change, type Decision, type Situation } from './decision';
import { storeDetails } from './effects/claims';
import { type State } from './states';
import { type Row, TRANSITIONS } from './transitions';

const BY_PAIR = new Map<string, Row[]>();
for (const row of TRANSITIONS) {
  for (const state of row.from) {
    const pair = `${row.command} ${state}`;
    BY_PAIR.set(pair, [...(BY_PAIR.get(pair) ?? []), row]);
  }
}

const NOT_APPLICABLE: Decision = {
  answer: 'not_applicable',
  change: null,
  again: false,
  replayed: false,
  late: false,
  contradiction: null,
};

/** The row of the table that a situation falls under; undefined where the table has none. */
export function rowFor(s: Situation): Row | undefined {
  const state: State = s.action?.state ?? 'none';
  return BY_PAIR.get(`${s.command.kind} ${state}`)?.find((row) => row.test?.(s) ?? true);
}

/** Decides one command. Pure: reads nothing but the situation and changes nothing. */
export function decide(s: Situation): Decision {
  const row = rowFor(s);
  if (row === undefined) return NOT_APPLICABLE;
  const { command } = s;
  if (command.kind === 'claim' && row.answer === 'proceed') {
    const refusal = refuse(s as Situation<ClaimCommand>);
    if (refusal !== null) return { ...NOT_APPLICABLE, answer: refusal };
  }
  const change = row.apply?.(s) ?? firstDetails(s, row);
  return {
    answer: row.answer,
    change,
    again: row.again ?? false,
    replayed: isReplay(s, row),
    late: command.kind === 'receipt' && isLate(s),
    contradiction: change?.contradiction ?? null,
  };
}

/** What stops a claim that would otherwise proceed. */
function refuse(s: Situation<ClaimCommand>): Answer | null {
  const { command, policy, newestVersion, action, now } = s;
  if (is.sameCall(s)) return null;
  if (command.subjectVersion !== null && newestVersion !== null && command.subjectVersion.value < newestVersion) {
    return 'stale';
  }
  if (action === null && policy.replayWindowDays !== null) {
    const oldest = now - policy.replayWindowDays * 86_400_000;
    if (command.eventAt === null || command.eventAt < oldest) return 'too_old';
  }
  return null;
}

function firstDetails(s: Situation, row: Row): Change | null {
  const { command, action } = s;
  if (command.kind !== 'claim' && command.kind !== 'register') return null;
  if (row.answer === 'mismatch' || action === null) return null;
  if (command.fingerprint === null || action.fingerprint !== null) return null;
  return storeDetails(s as Situation<ClaimCommand>);
}

function isReplay(s: Situation, row: Row): boolean {
  const { kind } = s.command;
  if (kind === 'claim') return row.answer === 'proceed' && is.sameCall(s as Situation<ClaimCommand>);
  if (kind === 'release') return is.releasedBefore(s as Situation<Extract<Command, { kind: 'release' }>>);
  if (kind === 'receipt') return is.receiptAgainOtherEvidence(s as Situation<Extract<Command, { kind: 'receipt' }>>);
  return false;
}

/** A receipt is late when its attempt's lease was over, or something else had been recorded before it came. */
function isLate(s: Situation): boolean {
  if (s.command.kind !== 'receipt' || s.action === null) return false;
  if (s.action.state === 'confirmed') return false;
  return s.action.state !== 'in_progress' || s.command.attempt !== s.action.attempt || !is.leaseLive(s);
}
