import { startStack } from './start-stack';

/** Jest's globalSetup for one n8n process that does everything. */
export default function startSingle(): Promise<void> {
  return startStack('single');
}
