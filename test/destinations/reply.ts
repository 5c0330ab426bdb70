import type { Effect } from './effect-log';
import type { Outcome } from './effect-desk';

export interface Answered {
  status: number;
  /** Null where nothing is in the answer. */
  body: object | null;
}

/** An answer in the terms of HTTP, a connection reset, or nothing at all. */
export type Reply = Answered | 'reset' | 'silence';

/** What a caller over HTTP, or of a direct call, sees of an outcome. `view` is how the system shows an effect. */
export function replyOf(outcome: Outcome, view: (effect: Effect) => object): Reply {
  switch (outcome.kind) {
    case 'done':
      return { status: 201, body: view(outcome.effect) };
    case 'empty':
      return { status: 200, body: null };
    case 'error':
      return { status: outcome.status ?? 503, body: { message: 'Service unavailable' } };
    case 'refusal':
      return { status: outcome.status ?? 422, body: { message: outcome.message } };
    case 'reset':
    case 'silence':
      return outcome.kind;
  }
}
