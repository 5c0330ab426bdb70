import type { Effects } from './scene';

export interface Verdict {
  /** As the demo promises it: doubled without the guards, once or in review with them. */
  asPromised: boolean;
  kind: 'once' | 'review' | 'wrong';
  words: string;
}

/**
 * Without the guards the demo has to show the damage, or it would prove nothing.
 *
 * @param damage what goes wrong, in words; null where nothing should
 */
export function judgeUnguarded(effects: Effects, intended: Effects, damage: string | null): Verdict {
  const tooMuch = exceeds(effects, intended);
  if (damage === null) {
    const asPromised = isSame(effects, intended);
    return { asPromised, kind: asPromised ? 'once' : 'wrong', words: asPromised ? 'right' : 'not as intended' };
  }
  return tooMuch
    ? { asPromised: true, kind: 'wrong', words: damage }
    : { asPromised: false, kind: 'once', words: `expected to go wrong (${damage}), and did not` };
}

/** With the guards: the intended effects and nothing open, or fewer and an action that says *unknown*. */
export function judgeGuarded(effects: Effects, intended: Effects, states: readonly string[]): Verdict {
  if (exceeds(effects, intended)) return { asPromised: false, kind: 'wrong', words: 'more than intended' };
  if (states.includes('in_progress')) return { asPromised: false, kind: 'wrong', words: 'left in progress' };
  if (states.includes('unknown')) {
    return { asPromised: true, kind: 'review', words: 'unknown: to be looked up, not repeated' };
  }
  if (!isSame(effects, intended)) return { asPromised: false, kind: 'wrong', words: 'lost, and nobody is told' };
  return { asPromised: true, kind: 'once', words: wordFor(intended) };
}

const exceeds = (effects: Effects, intended: Effects): boolean =>
  effects.bookings > intended.bookings || effects.mails > intended.mails;

const isSame = (effects: Effects, intended: Effects): boolean =>
  effects.bookings === intended.bookings && effects.mails === intended.mails;

function wordFor({ bookings }: Effects): string {
  if (bookings === 0) return 'held';
  return bookings === 1 ? 'once' : 'once each';
}
