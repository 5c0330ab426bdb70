import type * as answers from '../domain/answers';
import { type ClaimToken } from '../domain/claim-token';
import { type Command } from '../domain/commands';
import { Problem } from '../domain/problem';
import { type EventName } from '../domain/requests';
import { type EventAsk } from './event-parts';
import { type Item, type Settled } from './item';

/** What each item of a call is answered: an answer, or the problem in its place. */
export type Results<A> = (A | Problem)[];
/** The items of a call in their order; one that the transport refused already stands there as its problem. */
export type Requests<R> = readonly (R | Problem)[];

export function itemOf(
  workspaceNo: number,
  id: string,
  command: Command,
  token: ClaimToken | null,
  event: Item['event'],
): Item {
  return { workspaceNo, actionId: id, command, token, event, eventRecorded: false, settled: null };
}

export const eventAsk = (event: EventName): Omit<EventAsk, 'decision'> => ({
  event_id: event.id,
  event_source: event.source,
  event_name: event.eventId,
  event_at: event.occurredAt,
});

export const isItem = (made: Item | Problem): made is Item => !(made instanceof Problem);

/** A request that is wrong by itself is answered in its place; its neighbours go on. */
export function attempt<R>(request: R | Problem, make: (request: R) => Item): Item | Problem {
  if (request instanceof Problem) return request;
  try {
    return make(request);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Each change of one action is a round of its own, which its neighbours in a batch wait for. */
const MAX_PER_ACTION = 20;

/** Refuses what a call asks of one action beyond the bound. */
export function bounded(made: readonly (Item | Problem)[]): (Item | Problem)[] {
  const counts = new Map<string, number>();
  return made.map((item) => {
    if (item instanceof Problem) return item;
    const count = (counts.get(item.actionId) ?? 0) + 1;
    counts.set(item.actionId, count);
    if (count <= MAX_PER_ACTION) return item;
    return new Problem(
      'payload_too_large',
      `More than ${MAX_PER_ACTION} items of this call are for one action. This one was not recorded.`,
      { hint: 'Send the others in further calls.' },
    );
  });
}

export function settledOf(item: Item): Settled {
  if (item.settled === null) throw new Error('The item was not settled');
  if (item.settled instanceof Problem) throw item.settled;
  return item.settled;
}

export function outcomeOf(item: Item, settled: Settled): answers.Outcome<never> {
  const { decision, action, operation, now, event, newestVersion } = settled;
  return {
    command: item.command as never,
    actionId: item.actionId,
    decision,
    action,
    policy: operation.policy,
    operationConfigured: operation.configured,
    now,
    event,
    newestVersion,
  };
}

/** A ledger that cannot decide answers the whole call so: a caller must not read part of it as a refusal. */
export function resultsOf<A>(
  made: readonly (Item | Problem)[],
  answer: (outcome: answers.Outcome<never>) => A,
): Results<A> {
  return made.map((item) => {
    if (item instanceof Problem) return item;
    if (item.settled instanceof Problem) {
      if (item.settled.code === 'ledger_unavailable') throw item.settled;
      return item.settled;
    }
    return answer(outcomeOf(item, settledOf(item)));
  });
}
