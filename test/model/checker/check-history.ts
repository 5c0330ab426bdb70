import { actionSpecification, type PlacedCall, whyNot } from './action-specification';
import { type Call, type Operation, type Rules, USUAL_RULES } from './history';
import { linearize } from './linearize';
import { callLine, stateLine } from './readable-refusal';

export type Verdict =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** One sentence. */
      readonly reason: string;
      /** The longest order that explains the answers, and the calls that nothing explains, with times. */
      readonly readable: string;
    };

/** What the service sends to its database once more by itself; of a resolution it never does. */
const DECIDED_AGAIN: readonly Operation['kind'][] = ['claim', 'register', 'receipt', 'heartbeat', 'release', 'ended'];

/** How often in one call, at most, the service is thought to have lost its database's answer and to have asked again. */
const MOST_LOST_ANSWERS = 2;

/**
 * Whether one order of all calls for one action explains every answer. The calls may come in any order; all that change
 * the action must be among them (sweeps need not be). Throws a RangeError where the search would not come to an end.
 */
export function checkHistory(calls: readonly Call[], given: Partial<Rules> = {}): Verdict {
  const rules = { ...USUAL_RULES, ...given };
  const history = [...calls].sort((a, b) => a.invoked - b.invoked);
  const placed: PlacedCall[] = history.map(({ invoked, returned, operation, answer }) => ({
    invoked,
    ends: answer === 'maybe' || returned === null ? Infinity : returned,
    operation,
    answer: returned === null ? 'maybe' : answer,
  }));
  const specification = actionSpecification(rules);
  // Few histories need a call that was carried out more than once: they are looked at without it first.
  let all = placed;
  let found = linearize(specification, all);
  for (let times = 1; !found.ok && rules.decidedAgain && times <= MOST_LOST_ANSWERS; times++) {
    all = [...all, ...furtherCarryingsOut(placed)];
    found = linearize(specification, all);
  }
  if (found.ok) return { ok: true };

  const start = history[0]?.invoked ?? 0;
  const lineOf = (index: number): string => {
    const echoOf = all[index]?.echoOf;
    const line = callLine(history[echoOf ?? index] as Call, start);
    return echoOf === undefined ? line : `${line} (carried out, and again later)`;
  };
  const stuck = found.stuck.map(({ call, window }) => {
    const why = whyNot(found.state, all[call] as PlacedCall, window, rules);
    return { call, why: why.length === 0 ? 'nothing after it is explained' : why.join('; or ') };
  });
  const explained = new Set(found.order);
  const rest = [...history.keys()].filter(
    (index) => !explained.has(index) && !stuck.some(({ call }) => call === index),
  );
  const readable = [
    `No order of these ${history.length} calls explains what was answered.`,
    'Explained, in this order:',
    ...found.order.map((index) => `  ${lineOf(index)}`),
    `Then the action is: ${stateLine(found.state, start)}`,
    'None of these can come next:',
    ...stuck.map(({ call, why }) => `  ${lineOf(call)}\n${' '.repeat(29)}but ${why}`),
    ...rest.map((index, at) => `${at === 0 ? 'Not placed:\n' : ''}  ${lineOf(index)}`),
  ].join('\n');
  const first = stuck[0];
  const reason =
    first === undefined
      ? 'Nothing explains the history.'
      : `Nothing explains: ${lineOf(first.call).trim()}: ${first.why} (${stateLine(found.state, start)}).`;
  return { ok: false, reason, readable };
}

const furtherCarryingsOut = (placed: readonly PlacedCall[]): PlacedCall[] =>
  placed.flatMap(({ invoked, operation }, echoOf) =>
    DECIDED_AGAIN.includes(operation.kind)
      ? [{ invoked, ends: Infinity, operation, answer: 'maybe' as const, echoOf }]
      : [],
  );
