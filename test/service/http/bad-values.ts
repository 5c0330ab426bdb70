import { type TSchema } from '@sinclair/typebox';
import { NAMED_SCHEMAS } from '../../../ledger-service/src/http/schemas';

/** JSON that JSON.stringify would not write: numbers that are rounded when they are read, and `__proto__`. */
export class RawJson {
  constructor(readonly text: string) {}
}

export interface BadCase {
  /** What is wrong, for the test's name. */
  what: string;
  /** The field, as a path of names and places. */
  path: (string | number)[];
  /** `undefined` leaves the field out. */
  value: unknown;
}

interface Shape {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Shape>;
  required?: string[];
  additionalProperties?: boolean;
  items?: Shape;
  anyOf?: Shape[];
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  $ref?: string;
}

const OF_EACH_TYPE: Record<string, unknown> = {
  string: 'text',
  integer: 7,
  number: 0.5,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

/** Every way in which a value of this schema can be wrong in one field, written down from the schema itself. */
export function badCases(schema: TSchema | Shape, path: BadCase['path'] = []): BadCase[] {
  const shape = resolved(schema as Shape);
  const types = [shape.type ?? []].flat();
  const cases: BadCase[] = [];
  const add = (what: string, value: unknown, at = path): void => void cases.push({ what, path: at, value });

  for (const [type, value] of Object.entries(OF_EACH_TYPE)) {
    if (types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'))) continue;
    add(`${type} instead of ${types.join(' or ')}`, value);
  }
  if (shape.enum !== undefined) add('another word', 'something_else');
  else if (types.includes('string')) addTexts(shape, add);
  if (types.includes('integer')) addNumbers(shape, add);
  if (types.includes('array')) {
    if (shape.maxItems !== undefined)
      add(
        'too many items',
        Array.from({ length: shape.maxItems + 1 }, () => 'x'),
      );
    if (shape.minItems !== undefined) add('an empty list', []);
    if (shape.items !== undefined) {
      cases.push(...badCases(shape.items, [...path, 0]));
    }
  }
  if (types.includes('object')) cases.push(...ofObject(shape, path));
  return cases;
}

function ofObject(shape: Shape, path: BadCase['path']): BadCase[] {
  const cases: BadCase[] = [];
  if (shape.additionalProperties === false) {
    cases.push({ what: 'an unknown field', path: [...path, 'unheard_of'], value: 1 });
    cases.push({ what: 'an unknown field of an odd name', path: [...path, 'a/b~c"d'], value: 1 });
  }
  cases.push({ what: 'a prototype', path: [...path, '__proto__'], value: { admin: true } });
  cases.push({ what: 'a constructor', path: [...path, 'constructor'], value: { prototype: { admin: true } } });
  if (shape.additionalProperties === true) cases.push(...ofFreeObject(path));
  for (const [name, field] of Object.entries(shape.properties ?? {})) {
    if (shape.required?.includes(name) === true)
      cases.push({ what: 'missing', path: [...path, name], value: undefined });
    cases.push(...badCases(field, [...path, name]));
  }
  return cases;
}

/** Details and evidence: any JSON, as long as it is kept as it was sent. */
function ofFreeObject(path: BadCase['path']): BadCase[] {
  const nested = (levels: number): RawJson => new RawJson('{"a":'.repeat(levels) + '1' + '}'.repeat(levels));
  return [
    { what: 'a NUL inside', path, value: { a: ['b\0'] } },
    { what: 'a NUL in a name', path, value: { 'a\0': 1 } },
    { what: 'half a character inside', path, value: { a: { b: '\ud800' } } },
    { what: 'half a character in a name', path, value: { '\udfff': 1 } },
    { what: 'an integer beyond 2^53', path, value: new RawJson('{"amount": 9007199254740993}') },
    { what: 'an integer below -2^53', path, value: new RawJson('{"amount": [-9007199254740993]}') },
    { what: 'a number beyond all bounds', path, value: new RawJson('{"amount": 1e400}') },
    { what: '33 levels', path, value: nested(34) },
    { what: '100,000 levels', path, value: nested(100_000) },
    { what: 'more than 64 KiB', path, value: { text: 'x'.repeat(65 * 1024) } },
    { what: 'a prototype further in', path: [...path, 'a', '__proto__'], value: 1 },
  ];
}

/** The parts of an action key and of an event's name: their limits are counted in bytes after trimming. */
const isKeyPart = ({ maxLength, pattern }: Shape): boolean => maxLength === 1000 && pattern === undefined;

function addTexts(shape: Shape, add: (what: string, value: unknown) => void): void {
  if (shape.format === 'date-time') {
    for (const wrong of [
      '',
      'yesterday',
      '2026-10-20',
      '2026-10-20T03:00:00',
      '2026-02-30T00:00:00Z',
      '2026-10-20T24:00:00Z',
      '+292278994-08-17T07:12:55Z',
    ]) {
      add(`the time "${wrong}"`, wrong);
    }
    return;
  }
  add('empty', '');
  add('nothing but spaces', '  \u00a0 ');
  add('a control character', 'a\u0007b');
  add('a C1 control character', 'a\u0085b');
  add('NUL', 'a\0b');
  add('nothing but NUL', '\0');
  add('half a character', 'a\ud83d');
  add('the other half', '\ude00a');
  if (shape.maxLength !== undefined) {
    add('too long', 'x'.repeat(shape.maxLength + 1));
    add('10,000 characters', 'x'.repeat(10_000));
  }
  if (isKeyPart(shape)) {
    add('201 bytes', 'x'.repeat(201));
    add('201 bytes in 67 characters', '€'.repeat(67));
    add('a line separator', 'a\u2028b');
  }
}

function addNumbers(shape: Shape, add: (what: string, value: unknown) => void): void {
  if (shape.minimum !== undefined) add('too small', shape.minimum - 1);
  if (shape.maximum !== undefined) add('too large', shape.maximum + 1);
  add('a fraction', 1.5);
  add('a number as text', '1');
  add('beyond 2^53', new RawJson('9007199254740993'));
  add('beyond 2^64', new RawJson('99999999999999999999'));
  add('beyond all bounds', new RawJson('1e400'));
}

function resolved(shape: Shape): Shape {
  if (shape.$ref !== undefined) {
    const found = NAMED_SCHEMAS.find(({ $id }) => `${String($id)}#` === shape.$ref);
    if (found === undefined) throw new Error(`There is no schema ${shape.$ref}`);
    return found as Shape;
  }
  if (shape.anyOf !== undefined) throw new Error('A request with alternatives: say here how they can be wrong');
  return shape;
}

const MARK = '@raw:';

/** The valid value with one field made wrong, as JSON text. */
export function withCase(valid: unknown, { path, value }: Pick<BadCase, 'path' | 'value'>): string {
  const raw: string[] = [];
  const place = (one: unknown): unknown => (one instanceof RawJson ? `${MARK}${raw.push(one.text) - 1}` : one);
  const changed = set(structuredClone(valid), path, place(value));
  return JSON.stringify(changed).replace(
    new RegExp(`"${MARK}(\\d+)"`, 'g'),
    (_, index: string) => raw[Number(index)] ?? '',
  );
}

function set(target: unknown, path: BadCase['path'], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list = Array.isArray(target) ? [...(target as unknown[])] : [];
    list[step] = set(list[step], rest, value);
    return list;
  }
  const object = { ...(typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {}) };
  const inner = set(Object.hasOwn(object, step) ? (object as Record<string, unknown>)[step] : undefined, rest, value);
  // Plain assignment to `__proto__` would set the prototype instead of a field.
  Object.defineProperty(object, step, { value: inner, enumerable: true, configurable: true, writable: true });
  return object;
}

export const written = (path: BadCase['path']): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
