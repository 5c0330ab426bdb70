import { startStack } from './start-stack';

/** Jest's globalSetup for n8n's queue mode. */
export default function startQueue(): Promise<void> {
  return startStack('queue');
}
