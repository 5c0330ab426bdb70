import { setTimeout as sleep } from 'node:timers/promises';

import { type Random } from '../random';
import { type Receipt } from './receipt';

/** What a step can meet. The names are those of the destination oracle's behaviours. */
const BEHAVIOURS = [
  // In most cases all goes well.
  ...Array.from({ length: 16 }, () => 'normal' as const),
  'refuse',
  'error-before',
  'never',
  'worker-dies-before',
  'worker-dies-after',
] as const;

/** What the worker knows afterwards; null where it died. */
export type Known = Receipt | null;

/** The destination of the load, in this process: it counts what really happens, by subject. */
export class Destination {
  private readonly effects = new Map<string, string[]>();
  private number = 0;

  /** One call. `happened` is recorded before the caller can know it. */
  async call(subject: string, random: Random, stepMs: readonly [number, number]): Promise<Known> {
    const behaviour = random.pick(BEHAVIOURS);
    await sleep(random.between(...stepMs));
    switch (behaviour) {
      case 'normal':
        return { outcome: 'confirmed', reference: this.happens(subject) };
      case 'refuse':
        return { outcome: 'failed', cause: 'refused with 422' };
      case 'error-before':
        return { outcome: 'unknown', cause: 'answered 503' };
      case 'never':
        this.happens(subject);
        return { outcome: 'unknown', cause: 'no answer' };
      case 'worker-dies-before':
        return null;
      case 'worker-dies-after':
        this.happens(subject);
        return null;
    }
  }

  effectsOf(subject: string): readonly string[] {
    return this.effects.get(subject) ?? [];
  }

  private happens(subject: string): string {
    const reference = `RSV-${subject}-${++this.number}`;
    const before = this.effects.get(subject);
    if (before === undefined) this.effects.set(subject, [reference]);
    else before.push(reference);
    return reference;
  }
}
