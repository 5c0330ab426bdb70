import { isRecord } from '../shared/ledger-api';

const DEEPEST = 8;

export interface ItemValues {
  texts: Set<string>;
  flags: Set<string>;
}

/**
 * Every value of an item: texts and numbers as they are, true and false with the field they are in (alone they say
 * nothing). Used to see whether a result holds anything that the claim's own item did not.
 */
export function valuesOf(json: unknown): ItemValues {
  const values: ItemValues = { texts: new Set(), flags: new Set() };
  collect(json, '', 0, values);
  return values;
}

function collect(value: unknown, path: string, depth: number, into: ItemValues): void {
  if (depth > DEEPEST) return;
  if (typeof value === 'string') {
    if (value.trim() !== '') into.texts.add(value.trim());
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    into.texts.add(String(value));
  } else if (typeof value === 'boolean') {
    into.flags.add(`${path}=${value}`);
  } else if (Array.isArray(value)) {
    for (const entry of value) collect(entry, `${path}[]`, depth + 1, into);
  } else if (isRecord(value)) {
    for (const [name, entry] of Object.entries(value)) collect(entry, `${path}.${name}`, depth + 1, into);
  }
}

/** Whether an item holds at least one value that another does not. */
export function holdsSomethingNew(json: unknown, known: ItemValues): boolean {
  const values = valuesOf(json);
  return (
    [...values.texts].some((text) => !known.texts.has(text)) || [...values.flags].some((flag) => !known.flags.has(flag))
  );
}

export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch {
    // Circular: not plain data, so nothing can be said.
    return false;
  }
}
