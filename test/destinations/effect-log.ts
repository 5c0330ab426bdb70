/** One thing that really happened at a destination: a seat was booked, a mail was accepted. */
export interface Effect {
  /** The destination's own ID of it, for instance `RSV-219`. */
  id: string;
  /** What it is counted by: the order, or recipient and order. */
  reference: string;
  idempotencyKey: string | null;
  at: Date;
  content: Record<string, unknown>;
}

/** What really happened, in order. Counting knows nothing about ledgers: it is the oracle that judges them. */
export class EffectLog {
  private readonly effects: Effect[] = [];
  private readonly requests = new Map<string, number>();

  constructor(private readonly idPrefix: string) {}

  /** A request came in; whether it has an effect is another matter. */
  requested(reference: string): void {
    this.requests.set(reference, (this.requests.get(reference) ?? 0) + 1);
  }

  happened(reference: string, content: Record<string, unknown>, idempotencyKey: string | null = null): Effect {
    const effect = {
      id: `${this.idPrefix}-${this.effects.length + 1}`,
      reference,
      idempotencyKey,
      at: new Date(),
      content,
    };
    this.effects.push(effect);
    return effect;
  }

  withIdempotencyKey(idempotencyKey: string): Effect | undefined {
    return this.effects.find((effect) => effect.idempotencyKey === idempotencyKey);
  }

  withId(id: string): Effect | undefined {
    return this.effects.find((effect) => effect.id === id);
  }

  of(reference: string): Effect[] {
    return this.effects.filter((effect) => effect.reference === reference);
  }

  all(): readonly Effect[] {
    return this.effects;
  }

  /** Effects per reference. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { reference } of this.effects) counts[reference] = (counts[reference] ?? 0) + 1;
    return counts;
  }

  requestCount(reference: string): number {
    return this.requests.get(reference) ?? 0;
  }

  clear(): void {
    this.effects.length = 0;
    this.requests.clear();
  }
}
