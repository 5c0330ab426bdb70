import { isRecord } from './ledger-api';
import { valueAt } from './value-at';

const MOST_BYTES = 64 * 1024;
const DEEPEST = 12;
const LONGEST_REFERENCE = 500;
const LONGEST_CAUSE = 500;
const MASK = '***';

const SECRET_NAME =
  /pass(word|wd|phrase)?$|secret|token|authorization|api[-_ ]?key|private[-_ ]?key|cookie|credential|signature$|^(cvc|cvv|cvv2|pin)$/i;
const SECRET_VALUE =
  /^(bearer|basic)\s+\S+|^(sk|rk|pk|whsec)_(live|test)?_?\w{8,}|^eyJ[\w-]{8,}\.[\w-]+\.[\w-]*$|-----BEGIN [A-Z ]*PRIVATE KEY/i;
const CARD_LIKE = /\b\d(?:[ -]?\d){12,18}\b/g;
// eslint-disable-next-line no-control-regex
const NOT_TEXT = /\u0000|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** What of an error is told: never its stack, never the request with its headers. */
const ERROR_FIELDS = ['message', 'description', 'name', 'code', 'status', 'statusCode', 'httpCode'];

/** Fields that belong to the guard itself. */
const OWN_FIELDS = new Set(['claim', 'receipt']);

/**
 * What the receipt keeps of the step's answer: plain JSON, without secrets, card-like numbers and what PostgreSQL cannot
 * store, at most 64 KiB.
 */
export function toEvidence(
  json: Record<string, unknown>,
  fields: string[] | 'all',
): Record<string, unknown> | undefined {
  const names = fields === 'all' ? Object.keys(json).filter((name) => !OWN_FIELDS.has(name)) : fields;
  const evidence: Record<string, unknown> = {};
  for (const name of names) {
    const value = fields === 'all' ? json[name] : valueAt(json, name);
    if (value === undefined) continue;
    setOwn(evidence, cleanText(name), isError(name, value) ? errorEvidence(value) : clean(value, name, 0));
  }
  if (Object.keys(evidence).length === 0) return undefined;
  return withinLimit(evidence);
}

/** A reference as text, or nothing: the ledger takes up to 500 characters. */
export function toReference(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  return cut(cleanText(String(value)).trim(), LONGEST_REFERENCE);
}

export function toCause(text: string): string {
  return cut(text, LONGEST_CAUSE);
}

function isError(name: string, value: unknown): value is Record<string, unknown> {
  return value instanceof Error || (name === 'error' && isRecord(value));
}

function errorEvidence(error: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name of ERROR_FIELDS) {
    const value = error[name];
    if (typeof value === 'string' || typeof value === 'number') kept[name] = clean(value, name, 0);
  }
  return kept;
}

function clean(value: unknown, name: string, depth: number): unknown {
  if (value === null || value === undefined) return null;
  if (SECRET_NAME.test(name) && (typeof value === 'string' || typeof value === 'number')) return MASK;
  if (typeof value === 'string') return maskText(cleanText(value));
  if (typeof value === 'number') return Number.isFinite(value) ? maskNumber(value) : String(value);
  if (typeof value === 'boolean') return value;
  if (depth >= DEEPEST) return '(deeper levels left out)';
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Error) return errorEvidence(value as unknown as Record<string, unknown>);
  if (Array.isArray(value)) return value.map((entry) => clean(entry, name, depth + 1));
  if (isRecord(value)) {
    const kept: Record<string, unknown> = {};
    for (const [key, entry] of Object.entries(value)) {
      if (key !== 'stack' && typeof entry !== 'function') setOwn(kept, cleanText(key), clean(entry, key, depth + 1));
    }
    return kept;
  }
  return String(value);
}

/** A field may be called `__proto__`; assigning it would change the object instead of adding the field. */
function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

function cleanText(text: string): string {
  return text.replace(NOT_TEXT, '\uFFFD');
}

function maskText(text: string): string {
  if (SECRET_VALUE.test(text)) return MASK;
  return text.replace(CARD_LIKE, (found) => maskCard(found) ?? found);
}

function maskNumber(value: number): unknown {
  return Number.isInteger(value) ? (maskCard(String(value)) ?? value) : value;
}

function maskCard(text: string): string | undefined {
  const digits = text.replace(/\D/g, '');
  if (digits.length < 13 || digits.length > 19 || !passesLuhn(digits)) return undefined;
  return `${MASK}${digits.slice(-4)}`;
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let position = 0; position < digits.length; position += 1) {
    const digit = Number(digits[digits.length - 1 - position]);
    const doubled = position % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function withinLimit(evidence: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(evidence);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MOST_BYTES) return evidence;
  // JSON inside JSON grows by its quotes, so only a quarter of the limit is used for the part that is kept.
  return {
    leftOut: 'The item is larger than 64 KiB; this is its beginning',
    bytes,
    beginning: cut(text, MOST_BYTES / 4),
  };
}

/** Cleaned after the cut: it may have fallen between the halves of one character. */
function cut(text: string, length: number): string {
  return cleanText(text.slice(0, length));
}

/** The evidence of several items as one. */
export function joinEvidence(parts: Array<Record<string, unknown> | undefined>): Record<string, unknown> | undefined {
  const kept = parts.filter((part) => part !== undefined);
  if (kept.length <= 1) return kept[0];
  return withinLimit({ items: kept });
}
