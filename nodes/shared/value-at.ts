import { isRecord } from './ledger-api';

/** Reads `a.b.0.c` from plain data, own fields only. */
export function valueAt(json: unknown, path: string): unknown {
  let current: unknown = json;
  for (const part of path.split('.')) {
    if (Array.isArray(current)) current = current[Number(part)];
    else if (isRecord(current) && Object.hasOwn(current, part)) current = current[part];
    else return undefined;
  }
  return current;
}

/** Names separated by commas, as builders type them. */
export function namesOf(text: unknown): string[] {
  return typeof text === 'string'
    ? text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
    : [];
}
