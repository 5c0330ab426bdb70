import { type TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

import { isMoment } from '../domain/moment';
import { Problem } from '../domain/problem';

/** What Ajv says about the first fault that it found. */
export type SchemaFault = Pick<
  ErrorObject,
  'keyword' | 'instancePath' | 'params' | 'data' | 'message' | 'parentSchema'
>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const options = {
  // A request is taken as it was sent or refused: nothing is dropped, defaulted or turned into something else.
  removeAdditional: false,
  useDefaults: false,
  coerceTypes: false,
  // One fault is enough to refuse; collecting all lets a large body cost far more than it says.
  allErrors: false,
  // The faulty value, to say what is wrong with it.
  verbose: true,
  strictTypes: false,
  formats: { 'date-time': isMoment, uuid: UUID },
} as const;

const ofBodies = new Ajv(options);
// In an address everything is text, so a number there is read from its digits.
const ofAddresses = new Ajv({ ...options, coerceTypes: true });

export type RequestPart = 'body' | 'querystring' | 'params' | 'headers';

/** The check of one part of a request. */
export function compile(schema: object, part: RequestPart = 'body'): ValidateFunction {
  return (part === 'body' ? ofBodies : ofAddresses).compile(schema);
}

/** Shared schemas can be referred to by their `$id`. */
export function know(schemas: readonly TSchema[]): void {
  for (const schema of schemas) {
    for (const ajv of [ofBodies, ofAddresses]) {
      if (schema.$id !== undefined && ajv.getSchema(schema.$id) === undefined) ajv.addSchema(schema);
    }
  }
}

/** Checks values one at a time; says what is wrong with the first fault of a value. */
export function checker(schema: TSchema): (value: unknown) => Problem | null {
  const validate = compile(schema);
  return (value) => (validate(value) ? null : problemOfValidation(validate.errors ?? []));
}

/** Names the field as a path into the request: `claims[3].subject`. */
export function problemOfValidation(faults: readonly SchemaFault[], part: string | undefined = 'body'): Problem {
  const fault = faults[0];
  if (fault === undefined)
    return new Problem('invalid_request', 'The request is not as described. Nothing was changed.');
  const params = fault.params as Record<string, string | undefined>;
  const inner = params['missingProperty'] ?? params['additionalProperty'] ?? params['propertyName'];
  const path = [...fieldPath(fault.instancePath), ...(inner === undefined ? [] : [`.${shortened(inner)}`])]
    .join('')
    .replace(/^\./, '');
  const field = path === '' ? part : path;
  const code =
    fault.keyword === 'maxItems' && fault.instancePath.split('/').length === 2 ? TOO_MANY : 'invalid_request';
  return new Problem(code, `${field} ${whatIsWrong(fault)}. Nothing was changed.`, { field });
}

const TOO_MANY = 'payload_too_large';

function fieldPath(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${shortened(step)}`));
}

/** Names that callers made up are shown, but not at any length. */
const shortened = (name: string): string => (name.length <= 60 ? name : `${name.slice(0, 60)}…`).toWellFormed();

function whatIsWrong({ keyword, params, data, parentSchema }: SchemaFault): string {
  const limit = (params as { limit?: number }).limit ?? 0;
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties':
      return 'is not a field of this request';
    case 'type':
      return `must be ${typeInWords((params as { type: string | string[] }).type)}, not ${typeOf(data)}`;
    case 'enum':
    case 'const':
      return `must be one of ${((params as { allowedValues?: unknown[] }).allowedValues ?? []).join(', ')}`;
    case 'minLength':
      return 'is empty';
    case 'maxLength':
      return `is longer than ${limit} characters`;
    case 'minItems':
      return 'is an empty list';
    case 'maxItems':
      return `has more than ${limit} items`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'pattern':
      return typeof data === 'string' ? whatIsWrongWithText(data, parentSchema) : 'is not of the described form';
    case 'format':
      return (params as { format: string }).format === 'date-time'
        ? 'is not a time of the form 2026-10-20T03:00:00Z'
        : `is not a ${(params as { format: string }).format.toUpperCase()}`;
    case 'minProperties':
      return 'has no field';
    default:
      return 'is not as described';
  }
}

function whatIsWrongWithText(text: string, schema: SchemaFault['parentSchema']): string {
  if (!text.isWellFormed()) return 'contains half of a character (a lone surrogate)';
  if (text.includes('\0')) return 'contains a NUL character';
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)) return 'contains a control character';
  if (text.trim() === '') return 'is empty';
  const form = (schema as { 'x-form'?: string } | undefined)?.['x-form'];
  return form === undefined ? 'is not of the described form' : `is not ${form}`;
}

const NAMES: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

const typeInWords = (type: string | readonly string[]): string =>
  (typeof type === 'string' ? type.split(',') : type).map((one) => NAMES[one] ?? one).join(' or ');

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' && !Number.isInteger(value) ? 'a fraction' : (NAMES[typeof value] ?? 'nothing');
}
