import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

// n8n-core writes its settings on first use: without a folder of its own that would be the user's home.
// Imported before n8n-core, which reads it when it is loaded.
process.env.N8N_USER_FOLDER ??= mkdtempSync(path.join(tmpdir(), 'action-ledger-n8n-'));
// Errors that a test wants would fill the output.
process.env.N8N_LOG_LEVEL ??= 'silent';
