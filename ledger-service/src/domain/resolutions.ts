import { type Action } from './action';
import { type Command } from './commands';
import { settledAt } from './conditions';
import { type Answer } from './decision';
import { type OperationPolicy } from './policy';
import { Problem } from './problem';

interface Resolved {
  decision: { answer: Answer };
  action: Action | null;
  operation: { policy: OperationPolicy };
  now: number;
}

/** Why a resolution was refused, as a problem with the facts that the next one needs; null when it was not. */
export function refusal(command: Command, { decision, action, operation, now }: Resolved): Problem | null {
  if (decision.answer !== 'stale_resolution' && decision.answer !== 'not_applicable') return null;
  const facts = {
    state: action?.state ?? null,
    attempt: action?.attempt ?? null,
    historySeq: action?.historySeq ?? null,
  };
  if (decision.answer === 'stale_resolution') {
    const kept = command.kind === 'reconcile' ? ' What was found is kept as evidence.' : '';
    return new Problem('stale_resolution', `The action moved on since it was read: it is ${facts.state} now.${kept}`, {
      field: 'historySeq',
      hint: 'Read the action again and decide on what it says now.',
      facts,
    });
  }
  if (command.kind === 'reconcile' && command.outcome === 'not_happened' && action?.state === 'unknown') {
    const from = settledAt(action, operation.policy.settleSeconds);
    if (now < from) {
      return new Problem(
        'not_settled',
        'A look-up that finds nothing proves nothing before the settle time is over. Nothing was changed.',
        {
          hint: `Look again after ${new Date(from).toISOString()}.`,
          facts: { ...facts, settledAt: new Date(from).toISOString() },
        },
      );
    }
  }
  return new Problem('not_applicable', `An action that is ${facts.state} cannot be resolved so. Nothing was changed.`, {
    facts,
  });
}

/** What a person is warned of and not stopped by. */
export function warnings(command: Command, { operation, now, action }: Resolved): string[] {
  if (command.kind !== 'reconcile' || command.outcome !== 'not_happened' || action === null) return [];
  const from = settledAt(action, operation.policy.settleSeconds);
  if (now >= from) return [];
  return [
    `The settle time lasts until ${new Date(from).toISOString()}: the destination may still show the effect. The idempotency key stays the same.`,
  ];
}
