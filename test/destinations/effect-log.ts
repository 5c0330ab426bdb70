/** One thing that really happened at a destination: a seat was booked, a mail was accepted, money was taken. */
export interface Effect {
  /** The destination's own ID of it, for instance `RSV-219`. */
  id: string;
  /** What it is counted by: the order, or recipient and order. */
  reference: string;
  idempotencyKey: string | null;
  at: Date;
  /** What a client may look it up by besides the reference: a ledger's action key in a payment's metadata. */
  label: string | undefined;
  content: Record<string, unknown>;
}

/**
 * What really happened, in order. Counting knows nothing about ledgers: it is the oracle that judges them. Every search
 * is by a map, since a long run has hundreds of thousands of effects.
 */
export class EffectLog {
  private readonly effects: Effect[] = [];
  private readonly byReference = new Map<string, Effect[]>();
  private readonly byId = new Map<string, Effect>();
  private readonly byLabel = new Map<string, Effect[]>();
  private readonly byKey = new Map<string, Effect>();
  private readonly requests = new Map<string, number>();

  /** `clock` gives milliseconds since 1970. */
  constructor(
    private readonly idPrefix: string,
    private readonly clock: () => number = Date.now,
  ) {}

  /** A request came in; whether it has an effect is another matter. */
  requested(reference: string): void {
    this.requests.set(reference, this.requestCount(reference) + 1);
  }

  happened(
    reference: string,
    content: Record<string, unknown>,
    idempotencyKey: string | null = null,
    label?: string,
  ): Effect {
    const effect = {
      id: `${this.idPrefix}-${this.effects.length + 1}`,
      reference,
      idempotencyKey,
      at: new Date(this.clock()),
      label,
      content,
    };
    this.effects.push(effect);
    this.byId.set(effect.id, effect);
    append(this.byReference, reference, effect);
    if (label !== undefined) append(this.byLabel, label, effect);
    if (idempotencyKey !== null) this.byKey.set(idempotencyKey, effect);
    return effect;
  }

  /** The newest effect under a key. */
  withIdempotencyKey(idempotencyKey: string): Effect | undefined {
    return this.byKey.get(idempotencyKey);
  }

  withId(id: string): Effect | undefined {
    return this.byId.get(id);
  }

  of(reference: string): Effect[] {
    return [...(this.byReference.get(reference) ?? [])];
  }

  withLabel(label: string): Effect[] {
    return [...(this.byLabel.get(label) ?? [])];
  }

  /** The newest effect that is not of this reference. */
  newestOfAnother(reference: string): Effect | undefined {
    return this.effects.findLast((effect) => effect.reference !== reference);
  }

  all(): readonly Effect[] {
    return this.effects;
  }

  count(reference: string): number {
    return this.byReference.get(reference)?.length ?? 0;
  }

  /** Effects per reference. */
  counts(): Record<string, number> {
    return Object.fromEntries([...this.byReference].map(([reference, effects]) => [reference, effects.length]));
  }

  requestCount(reference: string): number {
    return this.requests.get(reference) ?? 0;
  }

  clear(): void {
    this.effects.length = 0;
    for (const index of [this.byReference, this.byLabel, this.byId, this.byKey, this.requests]) index.clear();
  }
}

function append(index: Map<string, Effect[]>, name: string, effect: Effect): void {
  const others = index.get(name);
  if (others === undefined) index.set(name, [effect]);
  else others.push(effect);
}
