import { randomInt } from 'node:crypto';

import { Command } from 'commander';

import { endAllProcesses } from '../e2e/stack/child-process';
import { missing } from './components';
import { type Fault } from './fault';
import { FAULTS } from './faults';
import { Random } from './random';
import { report } from './report';
import { type FaultResult, runFault } from './run-fault';
import { whole } from './whole-number';

const say = (line: string): void => console.log(line);

/** How much of a fault is made before the next one has its turn. */
const INJECTIONS = 10;
const LONG_INJECTIONS = 3;
const ACTIONS = 1_200;

/** Every fault in random order, again and again, until the time is over. */
async function soak(minutes: number, seed: number): Promise<void> {
  const random = new Random(seed);
  const end = performance.now() + minutes * 60_000;
  const enough = (): boolean => performance.now() >= end;
  const able = FAULTS.filter(({ needs }) => missing(needs).length === 0);
  const notRun = FAULTS.filter(({ needs }) => missing(needs).length > 0).map(
    ({ name, needs }) => `${name} needs ${missing(needs).join(' and ')}`,
  );
  const results = new Map<Fault, FaultResult>();
  say(
    `Seed ${seed}: ${able.length} faults for ${minutes} minutes. The same order again: npm run soak -- --seed ${seed}`,
  );
  while (!enough()) {
    for (const fault of random.shuffled(able)) {
      if (enough()) break;
      const turn = random.between(1, 2 ** 31 - 1);
      const injections = fault.long === true ? LONG_INJECTIONS : INJECTIONS;
      const result = await runFault(fault, { seed: turn, injections, actions: ACTIONS, enough, say });
      const { verdict } = result;
      const left = Math.max(0, Math.round((end - performance.now()) / 60_000));
      say(
        `${verdict.wrong.length === 0 ? 'ok    ' : 'FAILED'} ${fault.name} (seed ${turn}): ${result.injections} injections, ` +
          `${verdict.actions} actions; ${left} minutes left`,
      );
      results.set(fault, together(results.get(fault), result));
    }
  }
  const all = [...results.values()];
  report(all, notRun, say);
  const failed = all.filter(({ verdict }) => verdict.wrong.length > 0).length;
  say(`Soak: ${all.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function together(before: FaultResult | undefined, now: FaultResult): FaultResult {
  if (before === undefined) return now;
  const [a, b] = [before.verdict, now.verdict];
  return {
    ...now,
    injections: before.injections + now.injections,
    longestWaitMs: Math.max(before.longestWaitMs, now.longestWaitMs),
    notes: [...before.notes, ...now.notes],
    verdict: {
      actions: a.actions + b.actions,
      duplicates: a.duplicates + b.duplicates,
      lostReceipts: a.lostReceipts + b.lostReceipts,
      lostEvents: a.lostEvents + b.lostEvents,
      unknownWithOwner: a.unknownWithOwner + b.unknownWithOwner,
      wrong: [...a.wrong, ...b.wrong.map((line) => `seed ${now.seed}: ${line}`)],
    },
  };
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

new Command('soak')
  .description('Makes every fault in random order until the time is over, and judges what became of every action.')
  .option('--minutes <count>', 'how long, about: a fault that has begun is judged to its end', whole, 30)
  .option('--seed <number>', 'what order and choices are drawn from; another one each time if left out', whole)
  .action(async ({ minutes, seed = randomInt(1, 2 ** 31 - 1) }: { minutes: number; seed?: number }) => {
    try {
      await soak(minutes, seed);
    } finally {
      await endAllProcesses();
    }
  })
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
