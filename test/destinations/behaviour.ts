/** How a destination treats one request: how many effects it has, when, and what its caller sees. */
interface Course {
  effects: 0 | 1 | 2;
  /** `late`: `delayMs` after the request, whether or not anybody still waits for the answer. */
  effect?: 'at-once' | 'late';
  /**
   * - `answer`: what a caller expects; `late-answer`: the same, `delayMs` after the effect
   * - `error`, `refusal`: a status; `empty`: 200 without a body
   * - `other-reference`: the answer, naming the effect of another order
   * - `reset`: the connection is reset; `silence`: nothing, and the connection stays open
   */
  sees: 'answer' | 'late-answer' | 'error' | 'refusal' | 'empty' | 'other-reference' | 'reset' | 'silence';
}

/** The one table of behaviours; README.md shows it, and a test compares the two. */
export const courses = {
  normal: { effects: 1, sees: 'answer' },
  late: { effects: 1, sees: 'late-answer' },
  never: { effects: 1, sees: 'silence' },
  'error-after': { effects: 1, sees: 'error' },
  'reset-after': { effects: 1, sees: 'reset' },
  'empty-answer': { effects: 1, sees: 'empty' },
  'late-effect': { effects: 1, effect: 'late', sees: 'answer' },
  'error-then-effect': { effects: 1, effect: 'late', sees: 'error' },
  twice: { effects: 2, sees: 'answer' },
  'wrong-reference': { effects: 1, sees: 'other-reference' },
  'false-refusal': { effects: 1, sees: 'refusal' },
  'false-success': { effects: 0, sees: 'answer' },
  'error-before': { effects: 0, sees: 'error' },
  'reset-before': { effects: 0, sees: 'reset' },
  'never-before': { effects: 0, sees: 'silence' },
  refuse: { effects: 0, sees: 'refusal' },
} as const satisfies Record<string, Course>;

export type BehaviourName = keyof typeof courses;

export const behaviourNames = Object.keys(courses) as readonly BehaviourName[];

export const courseOf = ({ name }: Behaviour): Course => courses[name];

export interface Behaviour {
  name: BehaviourName;
  /** HTTP status (or SMTP code, for the mail system's SMTP side) where the behaviour answers an error or a refusal. */
  status?: number;
  /** Milliseconds by which the answer or the effect is late; 3,000 unless told otherwise. */
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
  private readonly rules = new Map<string | undefined, BehaviourRule[]>();

  add(rule: BehaviourRule): void {
    if (!isBehaviourName(rule.name)) {
      throw new Error(`No behaviour is called "${String(rule.name)}". Use one of: ${behaviourNames.join(', ')}.`);
    }
    const others = this.rules.get(rule.reference);
    if (others === undefined) this.rules.set(rule.reference, [{ ...rule }]);
    else others.push({ ...rule });
  }

  reset(): void {
    this.rules.clear();
  }

  /** The behaviour for one request; a rule with `times` is used up by it. */
  take(reference: string): Behaviour {
    return this.takeNewest(reference) ?? this.takeNewest(undefined) ?? normal;
  }

  private takeNewest(reference: string | undefined): Behaviour | undefined {
    const rules = this.rules.get(reference);
    const rule = rules?.at(-1);
    if (rules === undefined || rule?.times === undefined) return rule;
    rule.times -= 1;
    if (rule.times <= 0) rules.pop();
    if (rules.length === 0) this.rules.delete(reference);
    return rule;
  }
}
