import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';

/** The kinds of values that fields have, each with its limits and what a reader must know of it. */

// C0, DEL, C1 and the Unicode line separators; half characters (with the u flag a paired surrogate is one character).
const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
const HALF = '\\ud800-\\udfff';
const LINE = `^[^\\S${CONTROL}]*[^\\s${CONTROL}${HALF}][^${CONTROL}${HALF}]*$`;
// People's text may have line breaks and tabs.
const CONTROL_BUT_LINES = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
const PROSE = `^\\s*[^\\s${CONTROL_BUT_LINES}${HALF}][^${CONTROL_BUT_LINES}${HALF}]*$`;

interface About {
  description?: string;
  examples?: unknown[];
}

/** One line of text that is not blank. */
export const line = (maxLength: number, about: About = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: LINE, ...about });

/** Text that people write, with line breaks. */
export const prose = (maxLength: number, about: About = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: PROSE, ...about });

export const moment = (about: About = {}) =>
  Type.String({ format: 'date-time', examples: ['2026-10-20T03:00:00Z'], ...about });

export const whole = (minimum: number, maximum: number, about: About = {}) =>
  Type.Integer({ minimum, maximum, ...about });

export const oneOf = <const T extends string>(values: readonly T[], about: About = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: values, ...about });

/** Null where it does not apply. */
export const nullable = <T extends TSchema>(schema: T, about: About = {}) => {
  const { type, ...rest } = schema as T & { type?: string; enum?: unknown[] };
  return type === undefined || schema.$id !== undefined
    ? Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }], ...about })
    : Type.Unsafe<Static<T> | null>({
        ...rest,
        type: [type, 'null'],
        ...(rest.enum !== undefined && { enum: [...rest.enum, null] }),
        ...about,
      });
};

/** An object of exactly these fields. */
export const exactly: typeof Type.Object = (properties, options) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** A schema that the API document shows under its own name. */
export const named = <T extends TSchema>($id: string, schema: T): T => ({ ...schema, $id });

/** Points to a named schema instead of writing it out again. */
export const the = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>({ $ref: `${schema.$id ?? ''}#` });

/** Any JSON object; at most 64 KiB and 32 levels, no integers beyond 2^53, which the domain checks. */
export const freeObject = (about: About = {}) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...about });

export const uuid = (about: About = {}) => Type.String({ format: 'uuid', ...about });

export type Fields = TObject['properties'];

export const account = () =>
  Type.String({
    minLength: 1,
    maxLength: 1000,
    description: 'Whose number the subject is, e.g. the shop. 1 to 200 bytes after trimming (NFC). Default `default`.',
    examples: ['shop-1'],
  });

export const subject = () =>
  Type.String({
    minLength: 1,
    maxLength: 1000,
    description: "The business object's own ID. 1 to 200 bytes after trimming (NFC), no control characters.",
    examples: ['workshop-842'],
  });

export const operationName = () =>
  Type.String({
    minLength: 1,
    maxLength: 1000,
    description: 'What is done to the subject. 1 to 200 bytes after trimming (NFC), no control characters.',
    examples: ['reserve-seat'],
  });

export const version = () =>
  whole(1, 2 ** 31 - 1, {
    description: 'Raised only to do the same thing again on purpose. Default 1.',
    examples: [1],
  });

export const actionKeyFields = () => ({
  account: Type.Optional(account()),
  subject: subject(),
  operation: operationName(),
  version: Type.Optional(version()),
});

export const claimToken = () =>
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The token that the claim was answered with. Whoever has it may record what became of the attempt.',
    examples: ['ct_8hR0b0mYQmKkq2v8xTn5ZQAAAAFqv0b5v0mYQmKkq2v8xTn5'],
  });

export const requestToken = () =>
  line(200, {
    description:
      "Random, made anew for each call and used again only by that call's own transport retries: they get the same answer. The Idempotency-Key header says the same. Never derive it from an execution's ID.",
    examples: ['8e03978e-40d5-43e8-bc93-6894a57f9324'],
  });

export const reference = () =>
  line(500, { description: "The destination's own ID of the effect.", examples: ['RSV-219'] });

export const references = () =>
  Type.Array(reference(), {
    maxItems: 100,
    description: 'When one call had several effects: the IDs of all of them, at most 100.',
  });

export const attempt = (about: About = {}) =>
  whole(0, 2 ** 31 - 1, { description: 'The number of the attempt (the fencing number).', examples: [1], ...about });

export const historySeq = (about: About = {}) =>
  whole(0, 2 ** 31 - 1, { description: "The number of the action's newest history entry.", examples: [1], ...about });
