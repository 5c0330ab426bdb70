import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// The rule that keeps the folders pointing inwards is only worth something if it turns red. So: a tree in which every
// folder imports every other, and the verdict on each of these imports against the table of the design.

const mayImport: Record<string, string[]> = {
  'ledger-service/src/domain': [],
  'ledger-service/src/store': ['domain'],
  'ledger-service/src/inbox': ['domain'],
  'ledger-service/src/reconcilers': ['domain'],
  'ledger-service/src/workers': ['store', 'inbox', 'reconcilers', 'domain'],
  'ledger-service/src/http': ['store', 'workers', 'domain'],
  'ledger-service/src/cli': ['domain', 'store', 'inbox', 'reconcilers', 'workers', 'http'],
  nodes: [],
  credentials: [],
};
const folders = Object.keys(mayImport);
const repository = path.resolve(__dirname, '../..');

const allowed = (from: string, to: string): boolean =>
  (mayImport[from] ?? []).includes(path.basename(to)) ||
  (!from.startsWith('ledger-service') && !to.startsWith('ledger-service'));

let tree: string;

/** Two files that import each other, in the way that `content` says. */
function writeCircle(folder: string, content: (other: string) => string): void {
  for (const [name, other] of [
    ['one', 'two'],
    ['two', 'one'],
  ] as const) {
    writeFileSync(
      path.join(tree, folder, `${name}.ts`),
      `export const ${name} = 1;\nexport type ${name} = 1;\n${content(other)}`,
    );
  }
}

beforeAll(() => {
  tree = mkdtempSync(path.join(os.tmpdir(), 'folder-directions-'));
  cpSync(path.join(repository, '.dependency-cruiser.cjs'), path.join(tree, '.dependency-cruiser.cjs'));
  for (const from of folders) {
    mkdirSync(path.join(tree, from), { recursive: true });
    writeFileSync(path.join(tree, from, 'target.ts'), 'export const value = 1;\n');
    for (const to of folders.filter((folder) => folder !== from)) {
      const specifier = path.posix.relative(from, path.posix.join(to, 'target'));
      writeFileSync(
        path.join(tree, from, `to-${to.replaceAll('/', '-')}.ts`),
        `export { value } from '${specifier}';\n`,
      );
    }
  }
  writeFileSync(
    path.join(tree, 'ledger-service/src/domain/reads-a-file.ts'),
    "export { readFileSync } from 'node:fs';\n",
  );
  writeFileSync(path.join(tree, 'ledger-service/src/domain/hashes.ts'), "export { createHash } from 'node:crypto';\n");
  writeCircle(
    'ledger-service/src/http',
    (name) => `import { ${name} } from './${name}';\nexport const use = ${name};\n`,
  );
  writeCircle(
    'ledger-service/src/store',
    (name) => `import type { ${name} } from './${name}';\nexport type Use = ${name};\n`,
  );
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

test('every import against the directions and every circle of running code is reported, and nothing else', async () => {
  const output = await new Promise<string>((resolve) => {
    const cruise = path.join(repository, 'node_modules/.bin/depcruise');
    execFile(
      cruise,
      ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'nodes', 'credentials', 'ledger-service'],
      { cwd: tree, maxBuffer: 2 ** 26 },
      (_error, stdout) => resolve(stdout),
    );
  });
  const { summary } = JSON.parse(output) as { summary: { violations: { from: string; to: string }[] } };
  const reported = new Set(
    summary.violations.map(
      ({ from, to }) => `${path.posix.dirname(from)} → ${to.endsWith('.ts') ? path.posix.dirname(to) : to}`,
    ),
  );

  const forbidden = folders.flatMap((from) =>
    folders.filter((to) => to !== from && !allowed(from, to)).map((to) => `${from} → ${to}`),
  );
  expect(forbidden.length).toBeGreaterThan(40);
  expect([...reported].sort()).toEqual(
    [...forbidden, 'ledger-service/src/domain → fs', 'ledger-service/src/http → ledger-service/src/http'].sort(),
  );
});
