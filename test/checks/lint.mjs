// Every static check, one after the other; all of them run, so that one call shows all that is wrong.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';

const steps = [
  {
    name: "ESLint, n8n's rules in strict mode for the nodes",
    command: ['n8n-node', 'lint'],
    // The nodes are linted by n8n's own configuration, which strict mode forbids to change; service and tests by theirs.
    env: { ESLINT_FLAGS: 'v10_config_lookup_from_file' },
    // The command itself accepts warnings.
    failsOn: /\([1-9]\d* errors?, |, [1-9]\d* warnings?\)/,
  },
  { name: 'Types of the nodes', command: ['tsc', '--noEmit', '--project', 'tsconfig.json'] },
  { name: 'Types of the service', command: ['tsc', '--noEmit', '--project', 'ledger-service/tsconfig.json'] },
  { name: 'Types of the tests', command: ['tsc', '--noEmit', '--project', 'test/tsconfig.json'] },
  { name: 'Format', command: ['prettier', '--check', '--log-level=warn', '.'] },
  { name: 'Dependencies have their reasons', command: ['node', 'test/checks/dependency-reasons.mjs'] },
  {
    name: 'Folder directions',
    command: [
      'depcruise',
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'err',
      'nodes',
      'credentials',
      'ledger-service/src',
      'test',
    ],
  },
];

const failed = steps.filter(({ name, command: [program, ...args], env, failsOn }) => {
  const start = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  const output = `${stdout ?? ''}${stderr ?? ''}${error ? `${error.message}\n` : ''}`;
  const ok = status === 0 && !failsOn?.test(stripVTControlCharacters(output));
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  if (!ok) console.log(output);
  return !ok;
});

console.log(`Lint: ${steps.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
