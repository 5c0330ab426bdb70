import { randomInt } from 'node:crypto';

import { Command } from 'commander';

import { endAllProcesses } from '../e2e/stack/child-process';
import { missing } from './components';
import { FAULTS } from './faults';
import { report } from './report';
import { type FaultResult, runFault } from './run-fault';
import { whole } from './whole-number';

/** Committed, so that every run makes the same choices unless it is told otherwise. */
const SEED = 20_261_130;

const say = (line: string): void => console.log(line);

async function main({ only, injections, seed, list }: Options): Promise<void> {
  if (list) {
    for (const { name, title, long } of FAULTS) say(`${name.padEnd(44)} ${title}${long ? ' (long)' : ''}`);
    return;
  }
  const unknown = only?.filter((name) => !FAULTS.some((fault) => fault.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`No fault is called ${unknown.join(', ')}. See --list.`);
  const chosen = FAULTS.filter((fault) => (only === undefined ? fault.long !== true : only.includes(fault.name)));
  const results: FaultResult[] = [];
  const notRun: string[] = [];
  say(`Seed ${seed}: ${chosen.length} faults. The same choices again: npm run test:faults -- --seed ${seed}`);
  for (const fault of chosen) {
    const lacking = missing(fault.needs);
    if (lacking.length > 0) {
      notRun.push(`${fault.name} needs ${lacking.join(' and ')}`);
      continue;
    }
    const started = performance.now();
    const result = await runFault(fault, { seed, injections: injections ?? fault.injections, say });
    results.push(result);
    const { wrong } = result.verdict;
    const took = ((performance.now() - started) / 1_000).toFixed(0);
    say(`${wrong.length === 0 ? 'ok    ' : 'FAILED'} ${fault.name}: ${result.injections} injections in ${took} s`);
  }
  report(results, notRun, say);
  const failed = results.filter(({ verdict }) => verdict.wrong.length > 0).length;
  // Where everything should have been installed, what is missing is a failure.
  const skipped = process.env['CI'] === undefined ? 0 : notRun.length;
  say(`Faults: ${results.length - failed} passed, ${failed + skipped} failed`);
  process.exitCode = failed + skipped === 0 ? 0 : 1;
}

interface Options {
  only?: string[];
  injections?: number;
  seed: number;
  list?: boolean;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

new Command('test:faults')
  .description('Breaks a real ledger under load, and judges what became of every action.')
  .option('--only <names...>', 'these faults, also long ones')
  .option('--injections <count>', 'so many of each, instead of their own number', whole)
  .option('--seed <number>', 'what the choices are drawn from', whole, SEED)
  .option('--random-seed', 'another seed than the committed one')
  .option('--list', 'say which faults there are')
  .action(async (options: Options & { randomSeed?: boolean }) => {
    try {
      await main(options.randomSeed ? { ...options, seed: randomInt(1, 2 ** 31) } : options);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    } finally {
      await endAllProcesses();
    }
  })
  .parseAsync()
  .catch((error: unknown) => {
    throw error;
  });
