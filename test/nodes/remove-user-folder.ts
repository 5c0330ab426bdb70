import { rmSync } from 'node:fs';

// Each test file that loads n8n-core makes a folder for it (n8n-user-folder.ts); it goes with the file.
afterAll(() => {
  const folder = process.env.N8N_USER_FOLDER;
  if (folder?.includes('action-ledger-n8n-') === true) rmSync(folder, { recursive: true, force: true });
});
