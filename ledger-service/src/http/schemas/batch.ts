import { type TSchema, Type } from '@sinclair/typebox';

import { exactly, the } from './field-types';
import { itemAnswer } from './problem';

export const MAX_ITEMS = 1_000;

/**
 * The body of a call for many items. What is checked first is the envelope alone (`envelope`): each item is then checked
 * by itself, so that a wrong one does not refuse its neighbours. The API document shows both as one (`body`).
 */
export function batchOf(name: string, item: TSchema, about: string, others: Record<string, TSchema> = {}) {
  const list = (of: TSchema) =>
    exactly({ ...others, [name]: Type.Array(of, { minItems: 1, maxItems: MAX_ITEMS, description: about }) });
  return { name, item, body: list(the(item)), envelope: list(Type.Unknown()) };
}

export const ledgerId = () =>
  Type.String({
    format: 'uuid',
    description:
      'The identity of the ledger that answered. A client that was set to another one must not act on the answer.',
  });

export const batchAnswer = (answer: TSchema, others: Record<string, TSchema> = {}) =>
  exactly({
    ledgerId: ledgerId(),
    ...others,
    results: Type.Array(itemAnswer(answer), { description: 'One result per item, in their order.' }),
  });
