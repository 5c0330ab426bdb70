import type fc from 'fast-check';

import { type Ask } from '../reference/asks';
import { currentAttempt } from '../reference/action-story';
import { type LedgerUnderTest } from './ledger-under-test';
import { type Play } from './play';

/** The moves of all cases of this process, for telling how many commands were compared. */
export const made = { moves: 0 };

/** A command of a case, in words that hold for every course of events: keys by number, attempts by their age. */
export abstract class Move implements fc.AsyncCommand<Play, LedgerUnderTest> {
  constructor(private readonly words: string) {}

  abstract check(play: Readonly<Play>): boolean;

  abstract play(play: Play): Promise<void>;

  async run(play: Play): Promise<void> {
    made.moves++;
    await this.play(play);
  }

  toString(): string {
    return this.words;
  }
}

/** Asks the ledger something; `null` where there is nothing to ask about yet. */
export class Asking extends Move {
  constructor(
    words: string,
    private readonly toAsk: (play: Play) => Ask | null,
  ) {
    super(words);
  }

  override check(play: Play): boolean {
    return this.toAsk(play) !== null;
  }

  override async play(play: Play): Promise<void> {
    const ask = this.toAsk(play);
    if (ask !== null) await play.ask(this.toString(), ask);
  }
}

export class LeaseRunsOut extends Move {
  constructor(private readonly key: number) {
    super(`the lease of key ${key + 1} runs out`);
  }

  override check({ world }: Play): boolean {
    return world.actions[this.key]?.state === 'in_progress';
  }

  override play(play: Play): Promise<void> {
    return play.letLeaseRunOut(this.toString(), this.key);
  }
}

export class TimePasses extends Move {
  constructor(private readonly seconds: number) {
    super(`${seconds} s pass`);
  }

  override check({ world }: Play): boolean {
    return world.actions.some((action) => action !== null);
  }

  override play(play: Play): Promise<void> {
    return play.letPass(this.toString(), this.seconds * 1000);
  }
}

export class Look extends Move {
  constructor(private readonly key: number) {
    super(`look at key ${key + 1}`);
  }

  override check({ world }: Play): boolean {
    return world.actions[this.key] !== null;
  }

  override play(play: Play): Promise<void> {
    return play.look(this.toString(), this.key);
  }
}

/** The attempt that is so many older than the present one; null where there is none. */
export function attemptAged({ world }: Play, key: number, age: number): number | null {
  const action = world.actions[key];
  const number = action ? currentAttempt(action) - age : 0;
  return number > 0 ? number : null;
}

export const ageInWords = (age: number): string =>
  age === 0 ? 'the present attempt' : `the attempt ${age === 1 ? 'before' : `${age} before`}`;
