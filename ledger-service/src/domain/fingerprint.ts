import { createHash } from 'node:crypto';

import canonicalize from 'canonicalize';

import { Problem } from './problem';

export const MAX_JSON_BYTES = 64 * 1024;
const MAX_DEPTH = 32;

/**
 * The SHA-256 of the details' RFC 8785 canonical form, as 64 hex digits: the order of members and the spelling of
 * numbers make no difference, any other change does.
 */
export function fingerprint(details: unknown, field = 'details'): string {
  checkJson(details, field);
  return createHash('sha256')
    .update(canonicalize(details) ?? 'null')
    .digest('hex');
}

/** Tells one piece of evidence from another; short, since it only decides whether to keep it once more. */
export function evidenceDigest(evidence: unknown): string | undefined {
  if (evidence === null || evidence === undefined) return undefined;
  return createHash('sha256')
    .update(canonicalize(evidence) ?? 'null')
    .digest('hex')
    .slice(0, 16);
}

/**
 * Refuses what would be stored as something else than was sent: integers beyond 2^53 − 1 (they were rounded when the
 * request was read), non-finite numbers, half characters, NUL, and what is nested or large beyond reason.
 */
export function checkJson(value: unknown, field: string, depth = 0): void {
  if (depth > MAX_DEPTH) throw invalid(field, `is nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalid(field, 'is not a finite number');
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      throw invalid(field, 'is an integer beyond 2^53 − 1 and would be rounded', 'Send it as text.');
    }
  } else if (typeof value === 'string') {
    checkText(value, field);
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      checkJson(item, `${field}[${index}]`, depth + 1);
    });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      checkText(name, field);
      checkJson(member, `${field}.${name}`, depth + 1);
    }
  }
  if (depth === 0 && value !== undefined) {
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes > MAX_JSON_BYTES) throw invalid(field, `has ${bytes} bytes; at most ${MAX_JSON_BYTES} are allowed`);
  }
}

function checkText(text: string, field: string): void {
  if (!text.isWellFormed()) throw invalid(field, 'contains half of a character (a lone surrogate)');
  if (text.includes('\0')) throw invalid(field, 'contains a NUL character');
}

function invalid(field: string, why: string, hint = 'Send plain JSON without it.'): Problem {
  return new Problem('invalid_details', `${field} ${why}. Nothing was claimed or changed.`, { field, hint });
}
