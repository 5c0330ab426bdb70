import { MAX_REFERENCES } from './action';

/** The destination's own IDs of one effect: usually one, several when one call made several things. Sorted, each once. */
export function referenceSet(reference?: string | null, references?: readonly string[] | null): string[] {
  const all = new Set<string>(references ?? []);
  if (reference !== undefined && reference !== null) all.add(reference);
  return [...all].sort();
}

export const sameReferences = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((reference, index) => reference === b[index]);

/** Those that were known come first where there are more than an action keeps. */
export const withReferences = (known: readonly string[], more: readonly string[]): string[] =>
  [...known, ...more.filter((reference) => !known.includes(reference))].slice(0, MAX_REFERENCES).sort();
