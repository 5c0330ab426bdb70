import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

import { type SourceCopy } from './source-copy';

export interface TestRun {
  /** Tests that passed. */
  passed: number;
  /** Tests that failed, by their full names. */
  failed: string[];
  /** Why there is no proper result (a file that does not compile, a run that hung); null where there is one. */
  broken: string | null;
  seconds: number;
}

interface JestResults {
  numPassedTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: { message: string; assertionResults: { status: string; fullName: string }[] }[];
}

const jest = require.resolve('jest/bin/jest');

/** Runs test files of a copy, one worker, against the PostgreSQL of TEST_DATABASE_URL. */
export async function runTests(
  copy: SourceCopy,
  files: readonly string[],
  tests: string,
  limitSeconds: number,
): Promise<TestRun> {
  const results = path.join(copy.folder, 'results.json');
  rmSync(results, { force: true });
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [
      jest,
      ...['--selectProjects', 'service', 'nodes'],
      ...['--ci', '--runInBand', '--forceExit', '--silent', '--json', '--outputFile', results],
      ...['--testNamePattern', tests, '--runTestsByPath', ...files],
    ],
    { cwd: copy.folder, stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  let hung = false;
  const limit = setTimeout(() => {
    hung = true;
    // With the workers and servers that it started.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, limitSeconds * 1_000);
  await once(child, 'close');
  clearTimeout(limit);
  const seconds = (performance.now() - began) / 1_000;
  if (hung) return { passed: 0, failed: [], broken: `did not end within ${limitSeconds} s`, seconds };
  const read = readResults(results);
  if (read === null) return { passed: 0, failed: [], broken: said.slice(-2_000), seconds };
  const failed = read.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  );
  const messages = read.testResults.map(({ message }) => message).join('\n');
  const broken = read.numRuntimeErrorTestSuites > 0 ? messages.slice(0, 2_000) : null;
  return { passed: read.numPassedTests, failed, broken, seconds };
}

function readResults(file: string): JestResults | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as JestResults;
  } catch {
    return null;
  }
}
