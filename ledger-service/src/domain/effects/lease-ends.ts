import { type AbandonCommand } from '../commands';
import { type Change, type Schedule, type Situation } from '../decision';
import { existing, move, review } from './move';

/** When a lease is over is known, however late it is noticed: the settle time counts from its end. */
export function endLease(s: Situation): Change {
  return existing(s).effectSeen
    ? confirmSeen(s, 'lease_expired')
    : toUnknown(s, 'lease_expired', 'lease_expired', { ...review(s), settleFromWrite: false });
}

export function abandon(s: Situation<AbandonCommand>): Change {
  const { cause } = s.command;
  return existing(s).effectSeen ? confirmSeen(s, 'abandoned') : toUnknown(s, 'abandoned', cause, review(s));
}

function toUnknown(s: Situation, kind: string, cause: string, schedule: Schedule): Change {
  return move(s, 'unknown', kind, { cause }, { facts: { cause }, schedule });
}

/** The effect of an older attempt was seen: whatever ends the newer one, the action is confirmed. */
function confirmSeen(s: Situation, kind: string): Change {
  return move(s, 'confirmed', kind, { effectSeen: false, cause: null }, { facts: { effectSeen: true } });
}
