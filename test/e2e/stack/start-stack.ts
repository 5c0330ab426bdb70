import { Stack } from './stack';

/** Jest's globalSetup: everything that the tests need is started here, once. */
export default async function startStack(): Promise<void> {
  const stack = new Stack();
  Object.assign(globalThis, { stack });
  const end = (): void => {
    void stack.stop().finally(() => process.exit(130));
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  try {
    await stack.start();
  } catch (error) {
    // Jest runs no globalTeardown after a globalSetup that failed.
    await stack.stop();
    throw error;
  }
}
