import { type TSchema, Type } from '@sinclair/typebox';

import { type ProblemCode } from '../../domain/problem';
import { PROBLEM_KINDS } from '../problem-catalogue';
import { exactly, named, oneOf, the } from './field-types';

const codes = Object.keys(PROBLEM_KINDS) as ProblemCode[];

export const ProblemSchema = named(
  'Problem',
  Type.Object(
    {
      type: Type.String({
        description: 'A name for the kind of problem.',
        examples: ['urn:action-ledger:problem:invalid_key'],
      }),
      title: Type.String({ description: 'The kind of problem, in words.' }),
      status: Type.Integer({ description: 'The HTTP status that belongs to the code.', examples: [400] }),
      code: oneOf(codes, {
        description: codes.map((code) => `- \`${code}\`: ${PROBLEM_KINDS[code].meaning}`).join('\n'),
      }),
      detail: Type.String({ description: 'What happened and what was not done.' }),
      field: Type.Optional(
        Type.String({
          description: 'The field that is wrong, as a path into the request.',
          examples: ['claims[3].subject'],
        }),
      ),
      hint: Type.Optional(Type.String({ description: 'What to do next.' })),
    },
    { additionalProperties: true, description: 'What went wrong (RFC 9457). Some codes add further facts.' },
  ),
);

/** In the place of an item that is wrong by itself; its neighbours were decided. */
export const ItemError = named(
  'ItemError',
  exactly(
    { error: the(ProblemSchema) },
    { description: 'Stands in the place of an item that is wrong by itself; its neighbours are decided.' },
  ),
);

export const itemAnswer = (answer: TSchema) => Type.Unsafe<unknown>({ anyOf: [the(answer), the(ItemError)] });
