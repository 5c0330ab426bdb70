// Every package that a package.json of this repository asks for has its line in docs/dependencies.md, and no other has.
import { globSync, readFileSync } from 'node:fs';
import process from 'node:process';

const manifests = globSync(['package.json', 'ledger-service/package.json', 'test/*/package.json']).map((file) =>
  JSON.parse(readFileSync(file, 'utf8')),
);
const ours = new Set(manifests.map(({ name }) => name));
const used = new Set(
  manifests
    .flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
      Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
    )
    .filter((name) => !ours.has(name)),
);

const rows = readFileSync('docs/dependencies.md', 'utf8').match(/^\| `.*?\|/gm) ?? [];
const explained = new Set(
  rows.flatMap((row) => [...row.replace(/\(.*?\)/g, '').matchAll(/`([^`]+)`/g)].map(([, name]) => name)),
);

const problems = [
  ...[...used].filter((name) => !explained.has(name)).map((name) => `${name} has no line in docs/dependencies.md`),
  ...[...explained]
    .filter((name) => !used.has(name))
    .map((name) => `${name} has a line in docs/dependencies.md, but nothing asks for it`),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
