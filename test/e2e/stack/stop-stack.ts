import type { Stack } from './stack';

/** Jest's globalTeardown. */
export default async function stopStack(): Promise<void> {
  await (globalThis as { stack?: Stack }).stack?.stop();
}
