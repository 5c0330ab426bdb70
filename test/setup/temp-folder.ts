import { chmodSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A new folder for a database. Run by root, the server is another user's, who must get through to his part of it. */
export function createServerFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'action-ledger-test-'));
  chmodSync(folder, 0o711);
  return folder;
}
