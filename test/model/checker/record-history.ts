import { checkHistory } from './check-history';
import { type Answer, type Call, type Operation, type Rules } from './history';

export interface Refusal {
  readonly key: string;
  readonly reason: string;
  readonly readable: string;
}

export interface Checked {
  readonly keys: number;
  readonly calls: number;
  readonly maybe: number;
  readonly refusals: readonly Refusal[];
}

/** Milliseconds since 1970 by a clock that never goes back. Anchored anew by each recorder, so that it does not drift away. */
function clock(): () => number {
  const anchor = Date.now() - performance.now();
  return () => anchor + performance.now();
}

/** Writes down who asked what of which action, when, and what was answered. One for all callers of a run. */
export class HistoryRecorder {
  private readonly calls = new Map<string, Call[]>();
  private readonly now = clock();

  /**
   * Makes a call and writes it down. `make` answers what the API did (see history.ts), or `maybe` where nobody knows;
   * what it throws is written down as `maybe` and thrown on.
   */
  async record<O extends Operation>(
    key: string,
    caller: string,
    operation: O,
    make: () => Promise<AnswerTo<O> | 'maybe'>,
  ): Promise<AnswerTo<O> | 'maybe'> {
    const invoked = this.now();
    let answer: AnswerTo<O> | 'maybe' = 'maybe';
    try {
      answer = await make();
      return answer;
    } finally {
      const returned = answer === 'maybe' ? null : this.now();
      this.add(key, { caller, invoked, returned, operation, answer } as unknown as Call);
    }
  }

  private add(key: string, call: Call): void {
    const calls = this.calls.get(key);
    if (calls === undefined) this.calls.set(key, [call]);
    else calls.push(call);
  }

  /** The calls for each action, in the order of their ends. */
  histories(): ReadonlyMap<string, readonly Call[]> {
    return this.calls;
  }

  check(rules: Partial<Rules> = {}): Checked {
    const refusals: Refusal[] = [];
    let calls = 0;
    let maybe = 0;
    for (const [key, history] of this.calls) {
      calls += history.length;
      maybe += history.filter(({ answer }) => answer === 'maybe').length;
      const verdict = checkHistory(history, rules);
      if (!verdict.ok) refusals.push({ key, reason: verdict.reason, readable: `${key}: ${verdict.readable}` });
    }
    return { keys: this.calls.size, calls, maybe, refusals };
  }
}

/** What an operation of this kind can be answered. */
export type AnswerTo<O extends Operation> = Extract<
  Extract<Call, { operation: { kind: O['kind'] } }>['answer'],
  Answer
>;
