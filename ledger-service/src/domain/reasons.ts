import { type Outcome } from './answers';
import { type ClaimCommand } from './commands';

/** The first few, and how many more. */
export const shortList = (references: readonly string[]): string =>
  references.length <= 3
    ? references.join(', ')
    : `${references.slice(0, 3).join(', ')} and ${references.length - 3} more`;

/** One plain sentence for a person: what was decided, and why. */

const at = (moment: number | null | undefined): string =>
  moment == null ? 'an unknown time' : `${new Date(moment).toISOString().replace('T', ' ').slice(0, 19)} UTC`;

const CAUSES: Record<string, string> = {
  lease_expired: 'its holder did not come back before its lease ended',
  execution_crashed: 'the execution that held it crashed',
  ended_without_receipt: 'the execution that held it ended without recording a receipt',
  repeat_refused: 'a repeat of it was refused while an earlier attempt may have had its effect',
  unknown_receipt: 'the step ended without saying whether it had its effect',
  repeated_by_retry: 'the step was run again by a manual retry that did not ask the ledger',
  overridden: 'two people decided that its confirmation does not hold',
  pinned_data: 'the step was not executed: its data are pinned',
};

/** A cause in words; a cause that a caller made up is shown as it is. */
export const causeInWords = (cause: string | null): string =>
  cause === null ? 'its outcome was never recorded' : (CAUSES[cause] ?? `its cause was given as "${cause}"`);

export function claimReason({ decision, action, policy, command, newestVersion }: Outcome<ClaimCommand>): string {
  const references = shortList(action?.references ?? []);
  switch (decision.answer) {
    case 'proceed':
      if (decision.replayed) return 'This call was answered before; the claim it made still holds.';
      if (action?.claimedFrom === 'unknown') {
        return 'The outcome is unknown, and repeating it under the same idempotency key is safe: the destination recognises it.';
      }
      return action !== null && action.attempt > 1
        ? `Attempt ${action.attempt}: the earlier ones did not have their effect.`
        : 'Nobody has done or claimed this action before.';
    case 'already_done':
      return `Already done${action?.testRun === true ? ' by your test run' : ''} at ${at(action?.since)}${references === '' ? '' : ` (${references})`}.`;
    case 'in_progress':
      return `Another holder is at it until ${at(action?.open?.dueAt)}.`;
    case 'unknown':
      return `It may have happened: ${causeInWords(action?.cause ?? null)}. It is not repeated until ${action?.open?.owner ?? policy.owner ?? 'somebody (no owner is set)'} has found out.`;
    case 'failed':
      return policy.retryAfterFailure
        ? `It failed ${action?.failedReceipts ?? 0} times, which is all that the operation allows.`
        : 'It failed, and the operation does not allow another attempt.';
    case 'mismatch':
      return 'The same action was asked for before with other details.';
    case 'stale':
      return command.subjectVersion?.kind === 'time'
        ? `A newer event about this subject was seen already, from ${at(newestVersion)}.`
        : `A newer version of this subject was seen already: ${newestVersion ?? ''}.`;
    case 'too_old':
      return command.eventAt === null
        ? 'The operation has a replay window, and this claim names no event time.'
        : `The event is older than the operation's replay window of ${policy.replayWindowDays ?? 0} days.`;
    default:
      return decision.answer;
  }
}

const CONTRADICTIONS: Record<string, string> = {
  after_failed: 'it had been recorded as failed',
  after_not_happened: 'it had been reconciled as not happened',
  two_effects: 'it was confirmed already under another reference: there may be two effects',
  older_attempt_confirmed: 'a newer attempt is under way: there may be two effects',
  failed_after_confirmed: 'it had been recorded as confirmed',
  unknown_after_failed: 'it had been recorded as failed',
  unknown_after_released: 'its holder had said that it was not sent',
  repeated_by_retry: 'the step was run again by another execution than the one that claimed it',
};

export function receiptReason({ decision, action }: Outcome<unknown>): string {
  if (decision.answer === 'not_applicable') {
    return `A receipt of this kind says nothing new about an action that is ${action?.state ?? 'not there'}. Nothing was recorded.`;
  }
  if (decision.replayed) return 'This receipt had been recorded before.';
  if (decision.contradiction !== null) {
    return `Recorded, and it contradicts: ${CONTRADICTIONS[decision.contradiction] ?? decision.contradiction}.`;
  }
  if (decision.answer === 'superseded') return 'Kept as evidence; a newer attempt decides the state.';
  return decision.late ? 'Recorded, after the lease had ended.' : 'Recorded.';
}
