/**
 * A reading of the ledger's clock, in milliseconds since 1970: known to lie between two moments until an answer shows
 * which it was. Everything that was stamped with one reading shares one object, so that one answer settles all of them.
 */
export interface Reading {
  from: number;
  to: number;
  /** Its place among the readings of a case, which decides where milliseconds do not: no clock goes back. */
  turn?: number;
}

/** A moment counted from a reading: a lease ends so long after its claim. */
export interface Moment {
  reading: Reading;
  plus: number;
}

export const after = (reading: Reading, plus = 0): Moment => ({ reading, plus });

/** A moment that somebody named, such as a next check. */
export const exactly = (at: number): Moment => ({ reading: { from: at, to: at }, plus: 0 });

const earliest = ({ reading, plus }: Moment): number => reading.from + plus;
const latest = ({ reading, plus }: Moment): number => reading.to + plus;

/** Whether one moment lies before or at another. Fails where that is not known: the case must leave no such doubt. */
export function notAfter(one: Moment, other: Moment): boolean {
  if (one.reading === other.reading) return one.plus <= other.plus;
  if (latest(one) <= earliest(other)) return true;
  if (earliest(one) > latest(other)) return false;
  const [turn, otherTurn] = [one.reading.turn, other.reading.turn];
  if (one.plus === other.plus && turn !== undefined && otherTurn !== undefined) return turn <= otherTurn;
  throw new Error(
    `It is open which comes first: ${latest(one) - earliest(one)} ms and ${latest(other) - earliest(other)} ms of doubt, ${earliest(other) - earliest(one)} ms apart`,
  );
}

export const later = (one: Moment, other: Moment): Moment => (notAfter(one, other) ? other : one);
export const earlier = (one: Moment, other: Moment): Moment => (notAfter(one, other) ? one : other);

/** Takes an answer's time for what a reading was. False where it cannot have been that. */
export function settle({ reading, plus }: Moment, at: number): boolean {
  const read = at - plus;
  // Answers have whole milliseconds, the rest is cut off.
  if (read < Math.floor(reading.from) || read > reading.to) return false;
  reading.from = read;
  reading.to = read;
  return true;
}

/** Whether a moment may lie in the second that this text names. */
export function isInSecond(moment: Moment, text: string): boolean {
  const second = Date.parse(text.replace(' UTC', 'Z').replace(' ', 'T'));
  return earliest(moment) < second + 1000 && latest(moment) >= second;
}

/** The texts that a moment may be written as, to the second. */
export const inSeconds = (moment: Moment): string[] =>
  [earliest(moment), latest(moment)].map((at) => `${new Date(at).toISOString().replace('T', ' ').slice(0, 19)} UTC`);

/** The texts that a moment may be written as, whole. */
export const inIso = (moment: Moment): string[] =>
  [earliest(moment), latest(moment)].map((at) => new Date(at).toISOString());

export const inWords = (moment: Moment): string =>
  earliest(moment) === latest(moment)
    ? new Date(earliest(moment)).toISOString()
    : `between ${new Date(earliest(moment)).toISOString()} and ${new Date(latest(moment)).toISOString()}`;
