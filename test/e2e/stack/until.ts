import { setTimeout as delay } from 'node:timers/promises';

export interface UntilOptions {
  timeoutMs?: number;
  everyMs?: number;
  /** Said in the error, with the last thing that went wrong. */
  what: string;
}

/** Asks again until there is an answer that is not `undefined` and not `false`. */
export async function until<T>(
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 60_000, everyMs = 100, what }: UntilOptions,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  let lastError: unknown;
  do {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await delay(everyMs);
  } while (Date.now() < end);
  // Not instanceof: what runs outside the test's own realm throws another Error class.
  const because = lastError === undefined ? '' : `: ${String((lastError as Error).message ?? lastError)}`;
  throw new Error(`Waited ${timeoutMs} ms in vain for ${what}${because}`);
}
