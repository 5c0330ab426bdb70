import { attemptNumber, moved, type Outcome, type Situation, withAttempt } from './action-state';
import { type OverrideOperation, type RegisterOperation, type ResolveOperation } from './history';

/** What is asked of an action by others than its holder. */

export function register(operation: RegisterOperation, { action }: Situation): Outcome[] {
  const details = operation.details ?? null;
  if (action.state === 'none') return [{ next: moved(action, { state: 'pending', details }), says: 'registered' }];
  if (details !== null && action.details !== null && details !== action.details) {
    return [{ next: action, says: 'mismatch' }];
  }
  const first = details !== null && action.details === null;
  return [{ next: first ? moved(action, { details }) : action, says: 'exists' }];
}

const refused = (s: Situation, code: string): Outcome[] => [{ next: s.action, says: `refused: ${code}` }];

export function resolve(operation: ResolveOperation, s: Situation): Outcome[] {
  const { action } = s;
  if (action.state === 'none') return refused(s, 'action_unknown');
  if (operation.attempt !== attemptNumber(action) || operation.historySeq !== action.seq) {
    // What was found is kept as evidence.
    return [{ next: moved(action, {}), says: 'refused: stale_resolution' }];
  }
  const { state } = action;
  switch (operation.outcome) {
    case 'happened': {
      if (state !== 'unknown' && state !== 'failed' && state !== 'pending') return refused(s, 'not_applicable');
      const references = [...new Set([...action.references, ...(operation.references ?? [])])];
      const confirmedBy = action.confirmedBy ?? 0;
      return [{ next: moved(action, { state: 'confirmed', references, confirmedBy }), says: 'resolved' }];
    }
    case 'not_happened': {
      if (state !== 'unknown') return refused(s, 'not_applicable');
      const number = attemptNumber(action);
      const resolved = { ...action, attempts: action.attempts.map((one) => ({ ...one, unresolved: false })) };
      const said = [
        ...(action.attempts[number - 1]?.said ?? []),
        { outcome: 'not_happened' as const, references: [], evidence: null },
      ];
      const attempts = withAttempt(resolved, number, { said });
      // The idempotency key stays: a paused holder may still send under it.
      const next = moved(action, { state: 'failed', attempts, deniedUpTo: number, keyIsSpent: false });
      return [{ next, says: 'resolved' }, ...refused(s, 'not_settled')];
    }
    case 'still_unknown':
      return state === 'unknown' ? [{ next: moved(action, {}), says: 'resolved' }] : refused(s, 'not_applicable');
  }
}

/** Two people take a confirmation back: whether the attempts had their effect is open again. */
export function override(operation: OverrideOperation, s: Situation): Outcome[] {
  const { action } = s;
  if (action.state === 'none') return refused(s, 'action_unknown');
  if (operation.attempt !== attemptNumber(action) || operation.historySeq !== action.seq) {
    return refused(s, 'stale_resolution');
  }
  if (action.state !== 'confirmed') return refused(s, 'not_applicable');
  const last = attemptNumber(action) - 1;
  const attempts = action.attempts.map((one, index) => ({
    ...one,
    unresolved: one.unresolved || index === last || one.said.some(({ outcome }) => outcome === 'confirmed'),
  }));
  const next = moved(action, { state: 'unknown', attempts, confirmedBy: null, keyIsSpent: false });
  return [{ next, says: 'overridden' }];
}

export const read = ({ action }: Situation): Outcome[] => [{ next: action, says: action.state }];
