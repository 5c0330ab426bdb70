import { readFileSync } from 'node:fs';
import path from 'node:path';

const packageFile = path.join(__dirname, '..', '..', 'package.json');

export const VERSION = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;
