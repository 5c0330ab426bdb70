import { readFileSync } from 'node:fs';
import path from 'node:path';

import { transitionsPage } from '../checks/transitions-page';

test('docs/transitions.md says what the table says (written by: npx tsx test/checks/write-transitions.ts)', () => {
  const committed = readFileSync(path.resolve(__dirname, '../../docs/transitions.md'), 'utf8');
  expect(committed).toBe(transitionsPage());
});
