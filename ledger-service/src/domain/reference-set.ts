/** The destination's own IDs of one effect: usually one, several when one call made several things. Sorted, each once. */
export function referenceSet(reference?: string | null, references?: readonly string[] | null): string[] {
  const all = new Set<string>(references ?? []);
  if (reference !== undefined && reference !== null) all.add(reference);
  return [...all].sort();
}

export const sameReferences = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((reference, index) => reference === b[index]);

export const withReferences = (known: readonly string[], more: readonly string[]): string[] =>
  referenceSet(null, [...known, ...more]);
