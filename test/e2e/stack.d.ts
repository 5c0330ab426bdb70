import type { Stack } from './stack/stack';

declare global {
  /** Everything that is running: n8n, the ledger, the fake destinations. Put there by `stack/environment.ts`. */
  var stack: Stack;
}
