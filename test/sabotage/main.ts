import path from 'node:path';

import startPostgres from '../setup/start-postgres';
import stopPostgres from '../setup/stop-postgres';
import { type Guard } from './guard';
import { GUARDS } from './guards';
import { runTests, type TestRun } from './run-tests';
import { SourceCopy } from './source-copy';

/**
 * Switches off one guard after the other, in a copy of the sources, and runs the tests that must notice: sabotage.
 * Before that the same tests are run with everything in place, so that none of them fails for another reason.
 */
const AT_ONCE = 2;
/** For one guard; on a quiet machine each takes a few seconds. */
const LIMIT_SECONDS = 240;

const say = (line: string): void => console.log(line);

interface Verdict {
  guard: Guard;
  /** What went against it; null where its absence was noticed. */
  wrong: string | null;
  line: string;
}

async function sabotage(guard: Guard, copy: SourceCopy): Promise<Verdict> {
  let restore: () => void;
  try {
    restore = copy.apply(guard.patches);
  } catch (error) {
    return { guard, wrong: (error as Error).message, line: '' };
  }
  try {
    return verdictOf(guard, await runTests(copy, [guard.file], guard.tests, LIMIT_SECONDS));
  } finally {
    restore();
  }
}

function verdictOf(guard: Guard, { passed, failed, broken, seconds }: TestRun): Verdict {
  const took = `${seconds.toFixed(1)} s`;
  if (broken !== null) return { guard, wrong: `The tests did not run: ${broken}`, line: took };
  const [first] = failed;
  if (first === undefined) return { guard, wrong: `Not noticed: ${passed} tests passed without it`, line: took };
  return { guard, wrong: null, line: `${took}, by ${path.basename(guard.file)}: ${first}` };
}

async function nothingSwitchedOff(guards: readonly Guard[], copy: SourceCopy): Promise<string | null> {
  const files = [...new Set(guards.map(({ file }) => file))];
  const tests = [...new Set(guards.map(({ tests }) => tests))].map((pattern) => `(?:${pattern})`).join('|');
  const { passed, failed, broken, seconds } = await runTests(copy, files, tests, LIMIT_SECONDS * 4);
  say(`Nothing switched off: ${passed} passed, ${failed.length} failed in ${seconds.toFixed(1)} s`);
  if (broken !== null) return broken;
  return failed.length > 0 ? `Failed with every guard in place: ${failed.join(', ')}` : null;
}

async function main(only: readonly string[]): Promise<boolean> {
  const guards = GUARDS.filter(({ name }) => only.length === 0 || only.some((text) => name.includes(text)));
  if (guards.length === 0) throw new Error(`No guard's name contains ${only.join(' or ')}`);
  const copies = Array.from({ length: AT_ONCE }, () => new SourceCopy());
  try {
    const trouble = await nothingSwitchedOff(guards, copies[0]!);
    if (trouble !== null) {
      say(trouble);
      say('Sabotage: 0 passed, 1 failed');
      return false;
    }
    const waiting = [...guards];
    const verdicts: Verdict[] = [];
    await Promise.all(
      copies.map(async (copy) => {
        for (let guard = waiting.shift(); guard !== undefined; guard = waiting.shift()) {
          const verdict = await sabotage(guard, copy);
          verdicts.push(verdict);
          say(`${verdict.wrong === null ? 'caught' : 'MISSED'}  ${guard.name} (${verdict.line})`);
          if (verdict.wrong !== null) say(`        ${guard.why}\n        ${verdict.wrong}`);
        }
      }),
    );
    const missed = verdicts.filter(({ wrong }) => wrong !== null).length;
    say(`Sabotage: ${verdicts.length - missed} passed, ${missed} failed`);
    return missed === 0;
  } finally {
    for (const copy of copies) copy.remove();
  }
}

async function run(): Promise<void> {
  await startPostgres();
  try {
    process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
  } finally {
    await stopPostgres();
  }
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
