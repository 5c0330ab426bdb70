import { type ActionState, leaseEnded, NO_ACTION, type Outcome, type Situation } from './action-state';
import { claim } from './claim-rules';
import { compareAnswer } from './compare-answer';
import { type Call, type Operation, type Rules } from './history';
import { ended, heartbeat, release } from './holder-rules';
import { type Specification, type TimedCall, type Window } from './linearize';
import { override, read, register, resolve } from './owner-rules';
import { receipt } from './receipt-rules';

/** A call as the search sees it: a *maybe* has no answer and no end. */
export interface PlacedCall extends TimedCall {
  readonly operation: Operation;
  readonly answer: Call['answer'];
}

/**
 * What the ledger guarantees to its callers for one action, as a sequential automaton, written from the design and
 * sharing no code with the service. A lease may end by itself between any two calls, once its time has come.
 */
export function actionSpecification(rules: Rules): Specification<ActionState, PlacedCall> {
  const keys = new WeakMap<ActionState, string>();
  return {
    initial: NO_ACTION,
    keyOf(state) {
      let key = keys.get(state);
      if (key === undefined) keys.set(state, (key = JSON.stringify(Object.values(state))));
      return key;
    },
    after: (state, call, window) =>
      explained(state, call, window, rules).filter((result) => typeof result !== 'string'),
  };
}

/** Why the call cannot come next, in words; for a call that can, nothing. */
export function whyNot(state: ActionState, call: PlacedCall, window: Window, rules: Rules): string[] {
  return [...new Set(explained(state, call, window, rules).filter((result) => typeof result === 'string'))];
}

function explained(state: ActionState, call: PlacedCall, window: Window, rules: Rules): (ActionState | string)[] {
  if (state.clock > window.to + rules.clockToleranceMs) return ['the lease had not ended before the answer came'];
  const s: Situation = { action: state, window, rules, invoked: call.invoked, ends: call.ends };
  const lapsed = leaseEnded(s);
  const results = outcomes(call.operation, s).map((outcome) => resultOf(outcome, call, s));
  if (lapsed === null) {
    return results.length > 0 ? results : ['nothing of this kind can be answered now'];
  }
  const later = { ...s, action: lapsed };
  return [...results, ...outcomes(call.operation, later).map((outcome) => resultOf(outcome, call, later))];
}

const resultOf = (outcome: Outcome, { answer }: PlacedCall, s: Situation): ActionState | string =>
  answer === 'maybe' ? outcome.next : compareAnswer(outcome, answer, s);

function outcomes(operation: Operation, s: Situation): Outcome[] {
  switch (operation.kind) {
    case 'claim':
      return claim(operation, s);
    case 'receipt':
      return receipt(operation, s);
    case 'heartbeat':
      return heartbeat(operation, s);
    case 'release':
      return release(operation, s);
    case 'ended':
      return ended(operation, s);
    case 'register':
      return register(operation, s);
    case 'resolve':
      return resolve(operation, s);
    case 'override':
      return override(operation, s);
    case 'read':
      return read(s);
  }
}
