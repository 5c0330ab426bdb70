import { type Contradiction } from './action';
import { type Command } from './commands';
import * as is from './conditions';
import { type Answer, type Change, type Situation } from './decision';
import * as effect from './effects/index';
import { type State, type StoredState } from './states';

/**
 * The one table. For a command and the state it meets, the first row whose condition holds decides; a pair without a
 * row is `not_applicable` and changes nothing. `docs/transitions.md` is written from it, and a test walks every state ×
 * command.
 */
export interface Row<K extends Command['kind'] = Command['kind']> {
  command: K;
  from: readonly State[];
  /** The condition in words. */
  when: string;
  test?: (s: Situation<Extract<Command, { kind: K }>>) => boolean;
  to: StoredState | 'same' | 'the state it was claimed from';
  answer: Answer;
  /** Absent: the answer changes nothing. */
  apply?: (s: Situation<Extract<Command, { kind: K }>>) => Change;
  /** The command is decided once more on what this row leaves. */
  again?: boolean;
}

const STORED: readonly StoredState[] = ['pending', 'in_progress', 'confirmed', 'failed', 'unknown'];

const rowsOf =
  <K extends Command['kind']>(command: K) =>
  (...rows: Omit<Row<K>, 'command'>[]): Row[] =>
    rows.map((row) => ({ ...row, command }) as unknown as Row);

// prettier-ignore
const register = rowsOf('register')(
  { from: ['none'], when: '', to: 'pending', answer: 'registered', apply: effect.register },
  { from: STORED, when: 'other details', test: is.otherDetails, to: 'same', answer: 'mismatch' },
  { from: STORED, when: '', to: 'same', answer: 'exists' },
);

// prettier-ignore
const claim = rowsOf('claim')(
  { from: ['in_progress'], when: 'the same call again, lease live', test: is.sameCall, to: 'same', answer: 'proceed', apply: effect.touch },
  { from: STORED, when: 'other details', test: is.otherDetails, to: 'same', answer: 'mismatch' },
  { from: ['none', 'pending'], when: '', to: 'in_progress', answer: 'proceed', apply: effect.grant },
  { from: ['in_progress'], when: 'lease live', test: is.leaseLive, to: 'same', answer: 'in_progress' },
  { from: ['in_progress'], when: 'lease over, effect seen', test: is.effectSeen, to: 'confirmed', answer: 'already_done', apply: effect.endLease, again: true },
  { from: ['in_progress'], when: 'lease over', to: 'unknown', answer: 'unknown', apply: effect.endLease, again: true },
  { from: ['unknown'], when: 'safe repeat', test: is.safeRepeat, to: 'in_progress', answer: 'proceed', apply: effect.grant },
  { from: ['unknown'], when: 'else', to: 'same', answer: 'unknown' },
  { from: ['confirmed'], when: '', to: 'same', answer: 'already_done' },
  { from: ['failed'], when: 'policy allows, failed attempts < max', test: is.claimableFailed, to: 'in_progress', answer: 'proceed', apply: effect.grant },
  { from: ['failed'], when: 'else', to: 'same', answer: 'failed' },
);

// prettier-ignore
const heartbeat = rowsOf('heartbeat')(
  { from: ['in_progress'], when: 'this attempt, lease live, effect not seen', test: (s) => is.thisAttempt(s) && is.leaseLive(s) && !is.effectSeen(s), to: 'same', answer: 'extended', apply: effect.extend },
  { from: STORED, when: 'else', to: 'same', answer: 'lost' },
);

// prettier-ignore
const release = rowsOf('release')(
  { from: STORED, when: 'this attempt, released before', test: is.releasedBefore, to: 'same', answer: 'released', apply: effect.touch },
  { from: ['in_progress'], when: 'this attempt, effect seen', test: (s) => is.releasable(s) && is.effectSeen(s), to: 'confirmed', answer: 'released', apply: effect.release },
  { from: ['in_progress', 'unknown'], when: 'this attempt, another unresolved', test: (s) => is.releasable(s) && is.otherAttemptsUnresolved(s), to: 'unknown', answer: 'released', apply: effect.release },
  { from: ['in_progress', 'unknown'], when: 'this attempt, the only unresolved one', test: is.releasable, to: 'the state it was claimed from', answer: 'released', apply: effect.release },
);

/** n8n's manual Retry: what is recorded says so. */
const retried = (s: Parameters<typeof is.repeatedByRetry>[0]): Contradiction | undefined =>
  is.repeatedByRetry(s) ? 'repeated_by_retry' : undefined;

// prettier-ignore
const receipt = rowsOf('receipt')(
  { from: STORED, when: 'the same receipt again', test: is.receiptAgain, to: 'same', answer: 'recorded', apply: effect.touch },
  { from: STORED, when: 'the same receipt again, other evidence', test: is.receiptAgainOtherEvidence, to: 'same', answer: 'recorded', apply: (s) => effect.addMoreEvidence(s, retried(s)) },

  { from: ['in_progress'], when: 'confirmed, this attempt', test: (s) => is.says(s, 'confirmed') && is.thisAttempt(s), to: 'confirmed', answer: 'recorded', apply: (s) => effect.confirm(s, is.effectSeen(s) && is.secondEffect(s) ? 'two_effects' : retried(s)) },
  { from: ['in_progress'], when: 'confirmed, older attempt', test: (s) => is.says(s, 'confirmed'), to: 'same', answer: 'recorded', apply: effect.seeEffect },
  { from: ['pending', 'unknown', 'failed'], when: 'confirmed, any attempt', test: (s) => is.says(s, 'confirmed'), to: 'confirmed', answer: 'recorded', apply: (s) => effect.confirm(s, is.contradicted(s)) },
  { from: ['confirmed'], when: 'confirmed, other reference', test: (s) => is.says(s, 'confirmed') && is.secondEffect(s), to: 'same', answer: 'contradiction', apply: (s) => effect.addEvidence(s, 'two_effects') },
  { from: ['confirmed'], when: 'confirmed, from a repeated step', test: (s) => is.says(s, 'confirmed') && is.repeatedByRetry(s), to: 'same', answer: 'contradiction', apply: (s) => effect.addEvidence(s, 'repeated_by_retry') },
  { from: ['confirmed'], when: 'confirmed', test: (s) => is.says(s, 'confirmed'), to: 'same', answer: 'recorded', apply: effect.addEvidence },

  { from: ['in_progress'], when: 'failed or unknown, this attempt, effect seen', test: (s) => is.thisAttempt(s) && is.effectSeen(s), to: 'confirmed', answer: 'recorded', apply: effect.confirmSeenBy },
  { from: ['in_progress', 'unknown'], when: 'failed, this attempt, from another execution', test: (s) => is.says(s, 'failed') && is.repeatedByRetry(s), to: 'unknown', answer: 'recorded', apply: (s) => effect.leaveUnknown(s, 'repeated_by_retry', 'repeated_by_retry') },
  { from: ['in_progress', 'unknown'], when: 'failed, this attempt, the only unresolved one', test: (s) => is.says(s, 'failed') && is.onlyUnresolved(s), to: 'failed', answer: 'recorded', apply: effect.fail },
  { from: ['in_progress'], when: 'failed, this attempt, an earlier one is unresolved', test: (s) => is.says(s, 'failed') && is.thisAttempt(s), to: 'unknown', answer: 'recorded', apply: (s) => effect.leaveUnknown(s, 'repeat_refused') },
  { from: ['unknown'], when: 'failed, while another attempt is unresolved', test: (s) => is.says(s, 'failed') && (is.thisAttempt(s) || is.othersUnresolved(s)), to: 'same', answer: 'recorded', apply: effect.addEvidence },
  { from: ['confirmed'], when: 'failed, this attempt', test: (s) => is.says(s, 'failed') && is.thisAttempt(s), to: 'same', answer: 'contradiction', apply: (s) => effect.addEvidence(s, 'failed_after_confirmed') },

  { from: ['in_progress', 'unknown'], when: 'unknown, this attempt', test: (s) => is.says(s, 'unknown') && is.thisAttempt(s), to: 'unknown', answer: 'recorded', apply: (s) => effect.leaveUnknown(s, 'unknown_receipt', retried(s) ?? effect.takenBackBy(s)) },
  { from: ['failed'], when: 'unknown, this attempt', test: (s) => is.says(s, 'unknown') && is.thisAttempt(s), to: 'unknown', answer: 'recorded', apply: (s) => effect.leaveUnknown(s, 'unknown_receipt', 'unknown_after_failed') },
  { from: ['pending', 'confirmed'], when: 'unknown', test: (s) => is.says(s, 'unknown'), to: 'same', answer: 'recorded', apply: effect.addEvidence },
  { from: STORED, when: 'failed or unknown, an older attempt otherwise', test: (s) => !is.thisAttempt(s), to: 'same', answer: 'superseded', apply: effect.addEvidence },
);

// prettier-ignore
const abandon = rowsOf('abandon')(
  { from: ['in_progress'], when: 'same holder, effect seen', test: (s) => is.heldBy(s) && is.effectSeen(s), to: 'confirmed', answer: 'abandoned', apply: effect.abandon },
  { from: ['in_progress'], when: 'same holder', test: is.heldBy, to: 'unknown', answer: 'abandoned', apply: effect.abandon },
);

// prettier-ignore
const sweep = rowsOf('sweep')(
  { from: ['in_progress'], when: 'lease over, effect seen', test: (s) => !is.leaseLive(s) && is.effectSeen(s), to: 'confirmed', answer: 'swept', apply: effect.endLease },
  { from: ['in_progress'], when: 'lease over', test: (s) => !is.leaseLive(s), to: 'unknown', answer: 'swept', apply: effect.endLease },
);

// prettier-ignore
const reconcile = rowsOf('reconcile')(
  { from: STORED, when: 'the fence moved', test: (s) => !is.fenceHolds(s), to: 'same', answer: 'stale_resolution', apply: effect.keepStale },
  { from: ['unknown', 'failed', 'pending'], when: 'happened', test: (s) => s.command.outcome === 'happened', to: 'confirmed', answer: 'resolved', apply: effect.resolveHappened },
  { from: ['unknown'], when: 'not happened, settled', test: (s) => s.command.outcome === 'not_happened' && is.settled(s), to: 'failed', answer: 'resolved', apply: effect.resolveNotHappened },
  { from: ['unknown'], when: 'still unknown', test: (s) => s.command.outcome === 'still_unknown', to: 'same', answer: 'resolved', apply: effect.reschedule },
);

// prettier-ignore
const override = rowsOf('override')(
  { from: ['confirmed'], when: 'the fence holds', test: is.fenceHolds, to: 'unknown', answer: 'overridden', apply: effect.override },
  { from: STORED, when: 'the fence moved', test: (s) => !is.fenceHolds(s), to: 'same', answer: 'stale_resolution' },
);

export const TRANSITIONS: readonly Row[] = [
  ...register,
  ...claim,
  ...heartbeat,
  ...release,
  ...receipt,
  ...abandon,
  ...sweep,
  ...reconcile,
  ...override,
];
