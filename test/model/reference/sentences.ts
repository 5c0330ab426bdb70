import { type ActionStory, currentAttempt } from './action-story';
import { claimableFailed } from './claims';
import { type ClaimItem } from './asks';
import { Sentence } from './expected';
import { exactly, type Moment } from './moments';
import { type Decision } from './transition';
import { type KeyName, type Policy } from './world';

/** The sentences for people, written down once more. */

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

const whyUnknown = ({ cause }: ActionStory): string => {
  if (cause === null) return 'its outcome was never recorded';
  return CAUSES[cause] ?? `its cause was given as "${cause}"`;
};

const fewOf = (references: readonly string[]): string => {
  const more = references.length - 3;
  return references.slice(0, 3).join(', ') + (more > 0 ? ` and ${more} more` : '');
};

const whoLooks = (action: ActionStory, policy: Policy): string =>
  action.owner ?? policy.owner ?? 'somebody (no owner is set)';

export interface ClaimToExplain {
  decision: Decision;
  action: ActionStory | null;
  policy: Policy;
  item: ClaimItem;
  newestVersion: number | null;
}

export function whyDecided({ decision, action, policy, item, newestVersion }: ClaimToExplain): Sentence {
  switch (decision.answer) {
    case 'proceed':
      return new Sentence(whyProceed(decision, action!));
    case 'already_done': {
      const byTest = isTestRun(action!) ? ' by your test run' : '';
      const named = action!.references.length === 0 ? '' : ` (${fewOf(action!.references)})`;
      return new Sentence(`Already done${byTest} at `, action!.since, `${named}.`);
    }
    case 'in_progress':
      return new Sentence('Another holder is at it until ', action!.due!, '.');
    case 'unknown':
      return new Sentence(
        `It may have happened: ${whyUnknown(action!)}. It is not repeated until ${whoLooks(action!, policy)} has found out.`,
      );
    case 'failed':
      return new Sentence(
        policy.retryAfterFailure
          ? `It failed ${action!.failedReceipts} times, which is all that the operation allows.`
          : 'It failed, and the operation does not allow another attempt.',
      );
    case 'mismatch':
      return new Sentence('The same action was asked for before with other details.');
    case 'stale':
      return item.subjectVersion?.occurredAt === undefined
        ? new Sentence(`A newer version of this subject was seen already: ${newestVersion}.`)
        : new Sentence('A newer event about this subject was seen already, from ', exactly(newestVersion!), '.');
    case 'too_old':
      return new Sentence(
        (item.event?.occurredAt ?? item.subjectVersion?.occurredAt) === undefined
          ? 'The operation has a replay window, and this claim names no event time.'
          : `The event is older than the operation's replay window of ${policy.replayWindowDays} days.`,
      );
    default:
      throw new Error(`No claim is answered ${decision.answer}`);
  }
}

function whyProceed({ replayed }: Decision, action: ActionStory): string {
  if (replayed === true) return 'This call was answered before; the claim it made still holds.';
  const attempt = action.attempts.at(-1)!;
  if (attempt.from === 'unknown') {
    return 'The outcome is unknown, and repeating it under the same idempotency key is safe: the destination recognises it.';
  }
  return attempt.number > 1
    ? `Attempt ${attempt.number}: the earlier ones did not have their effect.`
    : 'Nobody has done or claimed this action before.';
}

export const isTestRun = ({ holder }: ActionStory): boolean => holder?.mode === 'manual';

const AGAINST: Record<string, string> = {
  after_failed: 'it had been recorded as failed',
  after_not_happened: 'it had been reconciled as not happened',
  two_effects: 'it was confirmed already under another reference: there may be two effects',
  older_attempt_confirmed: 'a newer attempt is under way: there may be two effects',
  failed_after_confirmed: 'it had been recorded as confirmed',
  unknown_after_failed: 'it had been recorded as failed',
  unknown_after_released: 'its holder had said that it was not sent',
  repeated_by_retry: 'the step was run again by another execution than the one that claimed it',
};

export function whatBecameOfTheReceipt(decision: Decision, action: ActionStory): string {
  const { answer, replayed, late, contradiction } = decision;
  if (answer === 'not_applicable') {
    return `A receipt of this kind says nothing new about an action that is ${action.state}. Nothing was recorded.`;
  }
  if (replayed === true) return 'This receipt had been recorded before.';
  if (contradiction !== undefined) return `Recorded, and it contradicts: ${AGAINST[contradiction]}.`;
  if (answer === 'superseded') return 'Kept as evidence; a newer attempt decides the state.';
  return late === true ? 'Recorded, after the lease had ended.' : 'Recorded.';
}

/** The story of an action for a support person. */
export function summary(action: ActionStory, { operation, subject }: KeyName, policy: Policy): Sentence {
  const what = `${operation} for ${subject}`;
  const named = action.references.length === 0 ? '' : ` The destination's reference is ${fewOf(action.references)}.`;
  const contradicted =
    action.contradictions.length === 0 ? '' : ` There are contradicting records: ${action.contradictions.join(', ')}.`;
  const say = (...parts: (string | Moment)[]): Sentence => new Sentence(...parts, contradicted);
  switch (action.state) {
    case 'pending':
      return say(`${what} is recorded and nobody is at it.`);
    case 'in_progress':
      return say(
        `${what} is under way since `,
        action.since,
        ` (attempt ${currentAttempt(action)}); its lease ends at `,
        action.due!,
        '.',
      );
    case 'confirmed':
      return say(
        `${what} happened, confirmed at `,
        action.since,
        `${isTestRun(action) ? ' by a test run' : ''}.${named}`,
      );
    case 'failed': {
      const next = claimableFailed(action, { policy }) ? 'It may be claimed again.' : 'It is not tried again.';
      return say(`${what} did not happen, known since `, action.since, `. ${next}`);
    }
    case 'unknown':
      return say(
        `${what} may have happened: ${whyUnknown(action)}. Unknown since `,
        action.since,
        `; it is not repeated until ${whoLooks(action, policy)} has found out.${named}`,
      );
  }
}
