/** The service takes up to 1,000 items and 5 MiB a call; half of that keeps well away from both limits. */
const MOST_ITEMS = 500;
const MOST_BYTES = 2 * 1024 * 1024;

/** Cuts a list into calls. Order is kept: the first of two equal claims must stay the first. */
export function chunk<T>(items: T[], payload: (item: T) => unknown): T[][] {
  const chunks: T[][] = [];
  let current: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(payload(item)));
    if (current.length > 0 && (current.length >= MOST_ITEMS || bytes + size > MOST_BYTES)) {
      chunks.push(current);
      current = [];
      bytes = 0;
    }
    current.push(item);
    bytes += size;
  }
  if (current.length > 0) chunks.push(current);
  return chunks;
}
