import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { transitionsPage } from './transitions-page';

const file = path.resolve(__dirname, '../../docs/transitions.md');
writeFileSync(file, transitionsPage());
console.log(`Written: ${file}`);
