import { Stack, type Mode } from './stack';

/** Everything that the tests need is started here, once. */
export async function startStack(mode: Mode): Promise<void> {
  const stack = new Stack(mode);
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
