import { setTimeout as delay } from 'node:timers/promises';

import { BehaviourRules, courseOf, type Behaviour } from './behaviour';
import { EffectLog, type Effect } from './effect-log';

export interface DeskOptions {
  /** Honour idempotency keys: the same key gives the same effect again. */
  idempotencyKeys: boolean;
  /** After so many milliseconds a key is forgotten, and the same key has a new effect. */
  keyWindowMs: number;
  /** Whether a client can ask what happened. */
  lookUp: boolean;
  /** For so many milliseconds an effect is not yet seen by look-ups. */
  lookUpLagMs: number;
  /** Milliseconds since 1970, for windows and lags. */
  clock: () => number;
}

export const deskDefaults: DeskOptions = {
  idempotencyKeys: false,
  keyWindowMs: Infinity,
  lookUp: true,
  lookUpLagMs: 0,
  clock: Date.now,
};

export interface Order {
  reference: string;
  content: Record<string, unknown>;
  idempotencyKey: string | null;
  /** What a client may look the effect up by, besides the reference. */
  label?: string | undefined;
  /** The behaviour that the request itself asks for. */
  wanted?: Behaviour | null;
  /** Asked when the effect is about to happen; words stop it. `known` is the effect under the same key. */
  objection?: (known: Effect | undefined) => Refusal | undefined;
}

export interface Refusal {
  status: number;
  message: string;
}

/** What a caller is to see, whatever door it came by. */
export type Outcome =
  | { kind: 'done'; effect: Effect }
  | { kind: 'empty' }
  | { kind: 'error'; status: number | undefined }
  | { kind: 'refusal'; status: number | undefined; message: string }
  | { kind: 'reset' }
  | { kind: 'silence' };

/**
 * Where effects happen, behind every door of every destination (HTTP, SMTP, direct call): the behaviour, the idempotency
 * key and what look-ups see are decided here and nowhere else.
 */
export class EffectDesk {
  readonly effects: EffectLog;
  readonly rules = new BehaviourRules();
  private upcoming = new AbortController();

  constructor(
    idPrefix: string,
    readonly options: DeskOptions,
  ) {
    this.effects = new EffectLog(idPrefix, options.clock);
  }

  async ask(order: Order): Promise<Outcome> {
    this.effects.requested(order.reference);
    const behaviour = order.wanted ?? this.rules.take(order.reference);
    const course = courseOf(behaviour);
    const late = course.effect === 'late';
    if (late && course.sees === 'error') {
      void this.passed(behaviour).then((lived) => lived && this.perform(order, course.effects));
      return { kind: 'error', status: behaviour.status };
    }
    if (late && !(await this.passed(behaviour))) return { kind: 'reset' };
    const result = course.effects === 0 ? this.invented(order) : this.perform(order, course.effects);
    if ('status' in result) return { kind: 'refusal', ...result };
    if (course.sees === 'late-answer' && !(await this.passed(behaviour))) return { kind: 'reset' };
    switch (course.sees) {
      case 'answer':
      case 'late-answer':
        return { kind: 'done', effect: result };
      case 'other-reference': {
        const other = this.effects.newestOfAnother(order.reference) ?? this.invented(order);
        return { kind: 'done', effect: { ...result, id: other.id } };
      }
      case 'error':
        return { kind: 'error', status: behaviour.status };
      case 'refusal':
        return { kind: 'refusal', status: behaviour.status, message: 'The request was refused' };
      case 'empty':
      case 'reset':
      case 'silence':
        return { kind: course.sees };
    }
  }

  /** What a look-up by reference sees now. */
  visible(reference: string): Effect[] {
    return this.effects.of(reference).filter((effect) => this.isVisible(effect));
  }

  visibleWithLabel(label: string): Effect[] {
    return this.effects.withLabel(label).filter((effect) => this.isVisible(effect));
  }

  /** What a look-up by the destination's own ID sees now. */
  visibleWithId(id: string): Effect | undefined {
    const effect = this.effects.withId(id);
    return effect && this.isVisible(effect) ? effect : undefined;
  }

  private isVisible({ at }: Effect): boolean {
    return this.options.clock() >= at.getTime() + this.options.lookUpLagMs;
  }

  /** Aborted when the system is reset or stopped: nobody is answered after that. */
  get ended(): AbortSignal {
    return this.upcoming.signal;
  }

  /** Forgets rules and effects, also those that were still to come: their requests end in a reset. */
  reset(): void {
    this.upcoming.abort();
    this.upcoming = new AbortController();
    this.rules.reset();
    this.effects.clear();
  }

  /** What was still to come does not happen any more; what happened can still be counted. */
  stop(): void {
    this.upcoming.abort();
  }

  private perform(order: Order, effects: number): Effect | Refusal {
    const { reference, content, idempotencyKey, label } = order;
    // Looked up at the last moment: a late effect must find what another request with its key did meanwhile.
    const known = this.remembered(idempotencyKey);
    const objection = order.objection?.(known);
    if (objection) return objection;
    if (known) return known;
    for (let more = 1; more < effects; more += 1) this.effects.happened(reference, content, idempotencyKey, label);
    // The last one is answered, since it is the one that the key leads to.
    return this.effects.happened(reference, content, idempotencyKey, label);
  }

  private remembered(idempotencyKey: string | null): Effect | undefined {
    const { idempotencyKeys, keyWindowMs, clock } = this.options;
    if (!idempotencyKeys || idempotencyKey === null) return undefined;
    const known = this.effects.withIdempotencyKey(idempotencyKey);
    return known && clock() < known.at.getTime() + keyWindowMs ? known : undefined;
  }

  /** Looks like an effect and is none: nothing counts it, and no look-up finds it. */
  private invented({ reference, content, idempotencyKey, label }: Order): Effect {
    const id = `NONE-${this.effects.requestCount(reference)}-${reference}`;
    return { id, reference, content, idempotencyKey, label, at: new Date(this.options.clock()) };
  }

  /** Waits as long as the behaviour says. False: the system was reset or stopped meanwhile. */
  private async passed({ delayMs = 3_000 }: Behaviour): Promise<boolean> {
    return delay(delayMs, true, { signal: this.upcoming.signal }).catch(() => false);
  }
}
