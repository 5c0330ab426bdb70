import { Stack } from './stack';

/** Jest's globalSetup: everything that the tests need is started here, once. */
export default async function startStack(): Promise<void> {
  const stack = new Stack();
  Object.assign(globalThis, { stack });
  // What must not be left behind is ended on exit, whatever the reason for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  try {
    await stack.start();
  } catch (error) {
    // Jest runs no globalTeardown after a globalSetup that failed.
    await stack.stop();
    throw error;
  }
}
