import { type AbandonCommand } from '../commands';
import { type Change, type Situation } from '../decision';
import { existing, move, review } from './move';

export function endLease(s: Situation): Change {
  return existing(s).effectSeen ? confirmSeen(s, 'lease_expired') : toUnknown(s, 'lease_expired', 'lease_expired');
}

export function abandon(s: Situation<AbandonCommand>): Change {
  const { cause } = s.command;
  return existing(s).effectSeen ? confirmSeen(s, 'abandoned') : toUnknown(s, 'abandoned', cause);
}

function toUnknown(s: Situation, kind: string, cause: string): Change {
  return move(s, 'unknown', kind, { cause }, { facts: { cause }, schedule: review(s) });
}

/** The effect of an older attempt was seen: whatever ends the newer one, the action is confirmed. */
function confirmSeen(s: Situation, kind: string): Change {
  return move(s, 'confirmed', kind, { effectSeen: false, cause: null }, { facts: { effectSeen: true } });
}
