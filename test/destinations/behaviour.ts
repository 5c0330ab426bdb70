/**
 * How a destination treats one request. The name says when the effect happens and what the caller sees:
 *
 * | behaviour      | effect | the caller sees                                       |
 * |----------------|--------|-------------------------------------------------------|
 * | `normal`       | yes    | the answer                                            |
 * | `late`         | yes    | the answer, `delayMs` after the effect                |
 * | `never`        | yes    | nothing; the connection stays open                    |
 * | `error-after`  | yes    | `status` (503 unless told otherwise)                  |
 * | `reset-after`  | yes    | a connection reset                                    |
 * | `empty-answer` | yes    | 200 without a body                                    |
 * | `error-before` | no     | `status` (503 unless told otherwise)                  |
 * | `reset-before` | no     | a connection reset                                    |
 * | `refuse`       | no     | `status` (422 unless told otherwise): a known refusal |
 */
export const behaviourNames = [
  'normal',
  'late',
  'never',
  'error-after',
  'reset-after',
  'empty-answer',
  'error-before',
  'reset-before',
  'refuse',
] as const;

export type BehaviourName = (typeof behaviourNames)[number];

export interface Behaviour {
  name: BehaviourName;
  /** HTTP status (or SMTP code, for the mail system's SMTP side) where the behaviour answers one. */
  status?: number;
  /** Milliseconds between effect and answer, for `late`. */
  delayMs?: number;
}

export interface BehaviourRule extends Behaviour {
  /** Only for this reference (order, or any reference that the system counts by); without it, for all. */
  reference?: string;
  /** How many requests it holds for; without it, until it is replaced or reset. */
  times?: number;
}

const normal: Behaviour = { name: 'normal' };

export function isBehaviourName(name: unknown): name is BehaviourName {
  return behaviourNames.includes(name as BehaviourName);
}

/** The rules that are in force. A rule for a reference goes before one for all; the newest of each wins. */
export class BehaviourRules {
  private rules: BehaviourRule[] = [];

  add(rule: BehaviourRule): void {
    if (!isBehaviourName(rule.name)) {
      throw new Error(`No behaviour is called "${String(rule.name)}". Use one of: ${behaviourNames.join(', ')}.`);
    }
    this.rules.unshift({ ...rule });
  }

  reset(): void {
    this.rules = [];
  }

  /** The behaviour for one request; a rule with `times` is used up by it. */
  take(reference: string): Behaviour {
    const rule =
      this.rules.find((candidate) => candidate.reference === reference) ??
      this.rules.find((candidate) => candidate.reference === undefined);
    if (!rule) return normal;
    if (rule.times !== undefined) {
      rule.times -= 1;
      if (rule.times <= 0) this.rules = this.rules.filter((candidate) => candidate !== rule);
    }
    return rule;
  }
}

export function happens(behaviour: Behaviour): boolean {
  return !['error-before', 'reset-before', 'refuse'].includes(behaviour.name);
}
