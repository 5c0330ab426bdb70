import { Type } from '@sinclair/typebox';

import { nextCursor } from './actions';
import { exactly, line, named, nullable, oneOf, operationName, prose, the, whole } from './field-types';

const MAX_SECONDS = 2 ** 31 - 1;
const person = (description: string) => nullable(line(200), { description, examples: ['bookings@example.com'] });

const settings = {
  description: nullable(prose(2_000), { description: 'What the operation does, in business words.' }),
  keyRecipe: nullable(prose(2_000), {
    description: "Which of the business's own IDs is the subject, and when the version is raised.",
  }),
  leaseSeconds: whole(1, 86_400, { description: "Length of a claim's lease, in seconds. At first 300." }),
  maxAttempts: whole(1, 1_000, { description: 'Failed receipts until the action stays failed. At first 10.' }),
  retryAfterFailure: Type.Boolean({ description: 'A failed action may be claimed again. At first true.' }),
  destinationIdempotency: oneOf(['none', 'key'], {
    description: '`key`: the destination honours an idempotency key for destinationWindowSeconds.',
  }),
  destinationWindowSeconds: nullable(whole(1, MAX_SECONDS), {
    description: 'How long the destination remembers a key, in seconds.',
  }),
  safeRepeat: Type.Boolean({
    description:
      'An unknown action may be repeated under the same idempotency key inside the window. Needs destinationIdempotency `key` and the window.',
  }),
  lookUp: oneOf(['none', 'stripe', 'http', 'workflow'], { description: 'How the destination is asked what happened.' }),
  settleSeconds: whole(0, MAX_SECONDS, {
    description: "How long a look-up's *not found* proves nothing, in seconds; at least the step's longest time-out.",
  }),
  owner: person('Who reconciles.'),
  reviewHours: whole(1, 8_760, { description: 'Hours until an unknown action is overdue. At first 24.' }),
  escalateTo: person('Who is told when it is overdue.'),
  detailsRetentionDays: nullable(whole(1, 36_500), { description: 'Days until details are erased; null keeps them.' }),
  replayWindowDays: nullable(whole(1, 36_500), {
    description: 'Events older than this many days are refused on a key that does not exist; null refuses none.',
  }),
};

const revision = () =>
  whole(1, MAX_SECONDS, {
    description: 'Moves with every change. A change must carry the present one.',
    examples: [1],
  });

export const OperationSchema = named(
  'Operation',
  exactly(
    {
      name: operationName(),
      configured: Type.Boolean({ description: 'False: nobody has set it; it works with the defaults.' }),
      revision: revision(),
      ...settings,
    },
    { description: 'What an operation allows.' },
  ),
);

export const OperationBody = named(
  'OperationSettings',
  Type.Partial(exactly({ revision: revision(), ...settings }), {
    additionalProperties: false,
    description: 'Fields that are left out stay as they are.',
  }),
);

export const operationPath = Type.Object({ name: operationName() });

export const OperationSearch = exactly({
  search: Type.Optional(
    Type.String({
      maxLength: 1000,
      pattern: '^[^\\u0000-\\u001f\\ud800-\\udfff]*$',
      description: 'Part of the name or description.',
    }),
  ),
  cursor: Type.Optional(line(1500, { description: 'The nextCursor of the page before, with the same search.' })),
});

export const OperationPage = exactly({ operations: Type.Array(the(OperationSchema)), nextCursor: nextCursor() });
