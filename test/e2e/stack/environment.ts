import { TestEnvironment } from 'jest-environment-node';

import type { Stack } from './stack';

/**
 * The tests run one after the other in the process that started the stack (`runInBand`), so they are handed the very
 * objects: a test can kill n8n or count bookings by a plain call.
 */
export default class StackEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    this.global.stack = (globalThis as { stack: Stack }).stack;
  }
}
