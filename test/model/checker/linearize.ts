/**
 * The search of Wing and Gong ("Testing and Verifying Concurrent Objects", 1993) with Lowe's memory of what was tried
 * ("Testing for Linearizability", 2017): is there one order of the calls, in keeping with the times at which they were
 * made and answered, in which a sequential specification explains every answer? It knows nothing of ledgers.
 */

/** When a call can have taken effect, given what is explained before it. Milliseconds. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface TimedCall {
  readonly invoked: number;
  /** Infinity for a *maybe*: it may take effect at any later moment, or never. */
  readonly ends: number;
  /**
   * Index of the call that this one is another carrying out of: before it, where it is answered by the later one. Where
   * neither is answered nobody can tell them apart, and the echo is taken to be the second.
   */
  readonly echoOf?: number;
}

export interface Specification<S, C> {
  readonly initial: S;
  /** Two states with the same key are the same. */
  keyOf(state: S): string;
  /** The states that the call can leave behind with its answer; none where the answer cannot be. */
  after(state: S, call: C, window: Window): readonly S[];
}

export type Linearized<S> =
  | { readonly ok: true; readonly order: readonly number[] }
  | {
      readonly ok: false;
      /** The order that explains the most. */
      readonly order: readonly number[];
      readonly state: S;
      /** What could have come next, and cannot. */
      readonly stuck: readonly { readonly call: number; readonly window: Window }[];
    };

/** A point of the search: what is explained so far, and what may come next. */
interface Point<S> {
  readonly state: S;
  readonly done: bigint;
  /** The latest moment of which is known that it has come. */
  readonly floor: number;
  readonly answered: number;
  /** The call that led here; -1 at the start. */
  readonly by: number;
  readonly next: readonly number[];
  readonly horizon: number;
  at: number;
  /** States that `next[at]` leaves and that were not looked at yet. */
  open: S[];
}

const MAX_POINTS = 500_000;

/** By their ends; then those without one; then the second carryings out, which few histories need. */
function rank(call: TimedCall | undefined): number {
  if (call === undefined || call.echoOf !== undefined) return Number.MAX_VALUE;
  return Math.min(call.ends, Number.MAX_SAFE_INTEGER);
}

export function linearize<S, C extends TimedCall>(spec: Specification<S, C>, calls: readonly C[]): Linearized<S> {
  const answers = calls.filter(({ ends }) => ends !== Infinity).length;
  const seen = new Set<string>();
  let points = 0;

  const bit = calls.map((_, index) => 1n << BigInt(index));
  const isDone = (done: bigint, call: number): boolean => (done & (bit[call] ?? 0n)) !== 0n;
  // Answered calls first, by their ends: a *maybe* is only taken to have had its effect where something needs it.
  const order = [...calls.keys()].sort((a, b) => rank(calls[a]) - rank(calls[b]) || a - b);

  function point(state: S, done: bigint, floor: number, answered: number, by: number): Point<S> {
    const left = order.filter((index) => !isDone(done, index));
    const horizon = calls[left[0] ?? -1]?.ends ?? Infinity;
    const next = left.filter((index) => {
      const { invoked, echoOf } = calls[index] as C;
      if (invoked > horizon) return false;
      return echoOf === undefined || isDone(done, echoOf) === (calls[echoOf]?.ends === Infinity);
    });
    return { state, done, floor, answered, by, next, horizon, at: -1, open: [] };
  }

  const windowOf = ({ floor, horizon }: Point<S>, { invoked, ends }: C): Window => ({
    from: Math.max(floor, invoked),
    to: Math.min(horizon, ends),
  });

  function take(from: Point<S>): void {
    const index = from.next[from.at];
    const call = index === undefined ? undefined : calls[index];
    if (call === undefined) return;
    const left = spec.after(from.state, call, windowOf(from, call));
    // What a *maybe* does not change need not be placed at all.
    const before = call.ends === Infinity ? spec.keyOf(from.state) : null;
    from.open = before === null ? [...left] : left.filter((state) => spec.keyOf(state) !== before);
  }

  const start = point(spec.initial, 0n, -Infinity, 0, -1);
  const path: Point<S>[] = [start];
  let furthest = start;
  let furthestOrder: number[] = [];
  const orderOf = (): number[] => path.slice(1).map(({ by }) => by);

  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    if (top.answered === answers) return { ok: true, order: orderOf() };
    const state = top.open.shift();
    if (state === undefined) {
      top.at++;
      if (top.at < top.next.length) take(top);
      else path.pop();
      continue;
    }
    const index = top.next[top.at] as number;
    const call = calls[index] as C;
    const done = top.done | (bit[index] ?? 0n);
    const tried = `${done.toString(36)} ${spec.keyOf(state)}`;
    if (seen.has(tried)) continue;
    seen.add(tried);
    if (++points > MAX_POINTS) {
      throw new RangeError(`The history of ${calls.length} calls was not decided after ${MAX_POINTS} orders`);
    }
    const answered = top.answered + (call.ends === Infinity ? 0 : 1);
    const reached = point(state, done, Math.max(top.floor, call.invoked), answered, index);
    path.push(reached);
    if (answered > furthest.answered) {
      furthest = reached;
      furthestOrder = orderOf();
    }
  }

  const stuck = furthest.next
    .filter((index) => calls[index]?.ends !== Infinity)
    .map((index) => ({ call: index, window: windowOf(furthest, calls[index] as C) }));
  return { ok: false, order: furthestOrder, state: furthest.state, stuck };
}
