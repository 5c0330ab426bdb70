import { createHash } from 'node:crypto';

import { Problem } from './problem';

/** What makes an action the one it is. The workspace, which comes from the API key, leads it in the database. */
export interface ActionKey {
  account: string;
  subject: string;
  operation: string;
  version: number;
}

export const DEFAULT_ACCOUNT = 'default';
export const MAX_PART_BYTES = 200;
export const MAX_VERSION = 2 ** 31 - 1;

// C0, DEL, C1 and the two Unicode line separators: none is part of an ID, all of them break logs and pages.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** NFC and trimmed; refuses what cannot be part of an identity and names the part. */
export function normalisePart(name: string, value: unknown): string {
  if (typeof value !== 'string') {
    throw invalid(
      name,
      `must be text, not ${value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value}`,
    );
  }
  if (!value.isWellFormed()) throw invalid(name, 'contains half of a character (a lone surrogate)');
  if (CONTROL.test(value)) throw invalid(name, 'contains a control character');
  const part = value.normalize('NFC').trim();
  if (part === '') throw invalid(name, 'is empty');
  const bytes = Buffer.byteLength(part);
  if (bytes > MAX_PART_BYTES) throw invalid(name, `has ${bytes} bytes; at most ${MAX_PART_BYTES} are allowed`);
  return part;
}

export function normaliseVersion(value: unknown): number {
  if (value === undefined || value === null) return 1;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MAX_VERSION) {
    throw invalid('version', `must be a whole number from 1 to ${MAX_VERSION}`);
  }
  return value;
}

export function actionKey(parts: {
  account?: unknown;
  subject: unknown;
  operation: unknown;
  version?: unknown;
}): ActionKey {
  return {
    account:
      parts.account === undefined || parts.account === null ? DEFAULT_ACCOUNT : normalisePart('account', parts.account),
    subject: normalisePart('subject', parts.subject),
    operation: normalisePart('operation', parts.operation),
    version: normaliseVersion(parts.version),
  };
}

function invalid(field: string, why: string): Problem {
  return new Problem('invalid_key', `The ${field} ${why}. Nothing was claimed or changed.`, {
    field,
    hint: `Use your own system's ID, 1 to ${MAX_PART_BYTES} bytes without control characters.`,
  });
}

const encodePart = (part: string): string => part.replaceAll('%', '%25').replaceAll(':', '%3A');
const decodePart = (text: string): string => text.replaceAll(/%3A/gi, ':').replaceAll('%25', '%');

/** `shop-1:workshop-842:reserve-seat`, with a version other than 1 `…:v2`. No two keys share a written form. */
export function writtenForm(key: ActionKey): string {
  const parts = [key.account, key.subject, key.operation].map(encodePart).join(':');
  return key.version === 1 ? parts : `${parts}:v${key.version}`;
}

/** The key behind a written form, for search. */
export function parseWrittenForm(text: string): ActionKey {
  const parts = text.split(':');
  const versionText = parts.length === 4 ? parts[3] : 'v1';
  const version = /^v([1-9]\d{0,9})$/.exec(versionText ?? '')?.[1];
  if (parts.length < 3 || parts.length > 4 || version === undefined) {
    throw new Problem('invalid_key', 'The action key is not of the form account:subject:operation or …:v2.', {
      field: 'key',
      hint: 'Write ":" and "%" inside a part as %3A and %25.',
    });
  }
  const [account, subject, operation] = parts.map(decodePart);
  return actionKey({ account, subject, operation, version: Number(version) });
}

function digestOf(parts: readonly string[], length: number): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) {
    // Length-prefixed, so that ("ab", "c") and ("a", "bc") differ.
    const bytes = Buffer.from(part, 'utf8');
    const prefix = Buffer.alloc(4);
    prefix.writeUInt32BE(bytes.length);
    hash.update(prefix).update(bytes);
  }
  return hash.digest().subarray(0, length);
}

function asUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * The 16-byte identity: 8 bytes over the subject, 8 bytes over all parts. The first half makes the primary key serve
 * the search by subject too (a range of it), so that no claim pays for a second index, and keeps the actions of one
 * order together on disk. The parts are stored beside it and compared on every hit.
 */
export function actionId(key: ActionKey): string {
  const all = digestOf([key.account, key.subject, key.operation, String(key.version)], 8);
  return asUuid(Buffer.concat([digestOf([key.subject], 8), all]));
}

/** First and last identity that an action of this subject can have. */
export function subjectRange(subject: string): { from: string; to: string } {
  const prefix = digestOf([subject], 8);
  return {
    from: asUuid(Buffer.concat([prefix, Buffer.alloc(8, 0x00)])),
    to: asUuid(Buffer.concat([prefix, Buffer.alloc(8, 0xff)])),
  };
}

/** A 16-byte digest of several texts, for identities other than an action's (events, holders, calls, streams). */
export function digestUuid(kind: string, ...parts: string[]): string {
  return asUuid(digestOf([kind, ...parts], 16));
}

export const sameKey = (a: ActionKey, b: ActionKey): boolean =>
  a.account === b.account && a.subject === b.subject && a.operation === b.operation && a.version === b.version;
