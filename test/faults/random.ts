import { type RandomGenerator, unsafeUniformIntDistribution, xoroshiro128plus } from 'pure-rand';

/** Numbers from a seed: a run that is given the same seed makes the same choices. What machines do at the same moment stays theirs. */
export class Random {
  private readonly generator: RandomGenerator;

  constructor(readonly seed: number) {
    this.generator = xoroshiro128plus(seed);
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return unsafeUniformIntDistribution(least, most, this.generator);
  }

  /** True in so many of a hundred cases. */
  percent(chance: number): boolean {
    return this.between(1, 100) <= chance;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, from.length - 1)];
    if (picked === undefined) throw new Error('There is nothing to pick from');
    return picked;
  }

  shuffled<T>(from: readonly T[]): T[] {
    const left = [...from];
    return from.map(() => left.splice(this.between(0, left.length - 1), 1)[0] as T);
  }

  /** Numbers of their own, so that what one part draws does not move what another does. */
  fork(): Random {
    return new Random(this.between(0, 0x7fffffff));
  }
}
