// Runs n8n's own package scanner on what `npm pack` would publish. Left out is only what needs a published package: its provenance.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ESLint } from 'eslint';
import { analyzePackage, buildScanConfig, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';

const ALLOWED = /^(dist\/(nodes|credentials)\/.+\.(js|json|svg|png)|README\.md|LICENSE|package\.json)$/;
const REQUIRED = ['README.md', 'LICENSE', 'package.json'];

const checks = [];
const check = (name, problems) => {
  checks.push(problems.length === 0);
  console.log(`${problems.length === 0 ? 'ok    ' : 'FAILED'}  ${name}`);
  for (const problem of problems) console.log(`        ${problem}`);
};

const run = (program, args, cwd) => {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
  return stdout;
};

const folder = mkdtempSync(path.join(os.tmpdir(), 'action-ledger-pack-'));
try {
  run('npm', ['pack', '--silent', '--pack-destination', folder], process.cwd());
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  run('tar', ['-xzf', tarball], folder);
  const packed = path.join(folder, 'package');

  const files = readdirSync(packed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(packed, path.join(entry.parentPath, entry.name)));
  check(`the package holds only the nodes, the credentials, README, LICENSE and package.json (${files.length} files)`, [
    ...files.filter((file) => !ALLOWED.test(file)).map((file) => `not to be published: ${file}`),
    ...REQUIRED.filter((file) => !files.includes(file)).map((file) => `missing: ${file}`),
  ]);

  const { n8n } = JSON.parse(run('tar', ['-xzOf', tarball, 'package/package.json'], folder));
  check(
    'every node and credential that package.json lists is in the package',
    [...n8n.nodes, ...n8n.credentials]
      .filter((file) => !files.includes(file))
      .map((file) => `missing: ${file} (run npm run build)`),
  );

  await scan("n8n's scanner on the package", packed);
  await scan("n8n's scanner on the sources", process.cwd(), SOURCE_FILE_PATTERNS);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The scanner's own verdict counts errors; its warnings are counted with the same rules. */
async function scan(name, target, patterns = ['**/*.js', '**/*.ts', '**/*.json']) {
  const verdict = await analyzePackage(target, patterns);
  const eslint = new ESLint({
    cwd: target,
    allowInlineConfig: false,
    overrideConfigFile: true,
    overrideConfig: await buildScanConfig(),
  });
  const results = await eslint.lintFiles(globSync(patterns, { cwd: target }));
  const messages = results.flatMap(({ filePath, messages: found }) =>
    found.map(({ line, message, ruleId }) => `${path.relative(target, filePath)}:${line} ${message} (${ruleId})`),
  );
  if (results.length === 0) messages.push('nothing was scanned');
  if (!verdict.passed && messages.length === 0) messages.push(verdict.message);
  check(`${name}: 0 errors, 0 warnings (${results.length} files)`, messages);
}

const failed = checks.filter((ok) => !ok).length;
console.log(`Scan: ${checks.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
