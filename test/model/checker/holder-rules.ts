import {
  attemptNumber,
  attemptOf,
  mayBeLive,
  mayBeOver,
  moved,
  openEnd,
  othersUnresolved,
  type Outcome,
  type Situation,
  afterLease,
  withAttempt,
} from './action-state';
import { callOf } from './claim-rules';
import { type EndedOperation, type HeartbeatOperation, type ReleaseOperation } from './history';

/** The lease then ends one lease length from now, never earlier than before. No history row. */
export function heartbeat(operation: HeartbeatOperation, s: Situation): Outcome[] {
  const { action, rules } = s;
  const number = attemptOf(action, operation.claimToken);
  if (number === 0) return [{ next: action, says: 'refused: claim_token_unknown' }];
  if (action.state !== 'in_progress' || number !== attemptNumber(action) || action.effectSeen) {
    return [{ next: action, says: 'lost' }];
  }
  const from = s.invoked + action.leaseMs - rules.clockToleranceMs;
  const to = s.ends + action.leaseMs + rules.clockToleranceMs;
  const lease = {
    // Heartbeats do not carry a repeat past the moment until which repeating is safe.
    from: action.claimedFrom === 'unknown' ? action.lease.from : Math.max(action.lease.from, from),
    to: Math.max(action.lease.to, to),
  };
  return [
    ...(mayBeLive(s) ? [{ next: { ...action, lease }, says: 'extended' }] : []),
    ...(mayBeOver(s) ? [{ next: afterLease(action), says: 'lost' }] : []),
  ];
}

/** The holder says *not sent*, also after its lease. */
export function release({ claim }: ReleaseOperation, s: Situation): Outcome[] {
  const { action } = s;
  const byToken = 'claimToken' in claim;
  const number = byToken
    ? attemptOf(action, claim.claimToken)
    : callOf(claim) === action.call
      ? attemptNumber(action)
      : 0;
  if (action.state === 'none') {
    return [{ next: action, says: `refused: ${byToken ? 'claim_token_unknown' : 'action_unknown'}` }];
  }
  if (byToken && number === 0) return [{ next: action, says: 'refused: claim_token_unknown' }];
  const attempt = action.attempts[number - 1];
  if (attempt === undefined || number !== attemptNumber(action)) return [{ next: action, says: 'not_applicable' }];
  if (attempt.said.some(({ outcome }) => outcome === 'released')) {
    return [{ next: action, says: 'released', shows: { replayed: true } }];
  }
  const open = action.state === 'in_progress' || action.state === 'unknown';
  // *Not sent* cannot be said of an attempt that was confirmed.
  if (!open || !attempt.unresolved || attempt.said.some(({ outcome }) => outcome === 'confirmed')) {
    return [{ next: action, says: 'not_applicable' }];
  }
  const changes = {
    attempts: withAttempt(action, number, {
      unresolved: false,
      said: [...attempt.said, { outcome: 'released' as const, references: [], evidence: null }],
    }),
    sentUnderKey: Math.max(0, action.sentUnderKey - 1),
  };
  // That this one was not sent says nothing about an earlier one.
  const to = action.effectSeen || othersUnresolved(action, number) ? openEnd(action) : { state: action.claimedFrom };
  return [{ next: moved(action, { ...changes, ...to }), says: 'released', shows: { replayed: false } }];
}

/** The execution is over: what it holds is unknown at once. */
export function ended(operation: EndedOperation, { action }: Situation): Outcome[] {
  if (action.state !== 'in_progress' || action.holder !== operation.holder) return [{ next: action, says: 'not_held' }];
  return [{ next: moved(action, openEnd(action)), says: 'abandoned' }];
}
