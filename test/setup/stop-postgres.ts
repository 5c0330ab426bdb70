import { rmSync } from 'node:fs';
import './start-postgres';

export default async function stopPostgres(): Promise<void> {
  const started = globalThis.testPostgres;
  if (!started) return;
  await started.server.stop();
  rmSync(started.folder, { recursive: true, force: true });
}
