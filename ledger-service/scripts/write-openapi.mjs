// Writes the API document of the built service to openapi.json. No database is needed: nothing is asked of it.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { apiDocument } = require('../dist/http/api-document.js');

const file = path.join(import.meta.dirname, '..', 'openapi.json');
await writeFile(file, `${JSON.stringify(await apiDocument(), null, 2)}\n`);
