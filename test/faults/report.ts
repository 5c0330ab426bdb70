import { Table } from 'console-table-printer';

import { type FaultResult } from './run-fault';

const COLUMNS = [
  'fault',
  'injections',
  'actions',
  'duplicates',
  'lost receipts',
  'lost events',
  'unknown with owner',
  'longest recovery',
] as const;

type Row = Record<(typeof COLUMNS)[number], string | number>;

/** The table at the end, and what went wrong below it. */
export function report(results: readonly FaultResult[], notRun: readonly string[], say: (line: string) => void): void {
  const table = new Table({
    shouldDisableColors: true,
    columns: COLUMNS.map((name) => ({ name, alignment: name === 'fault' ? 'left' : 'right' })),
  });
  for (const result of results) table.addRow(rowOf(result));
  if (results.length > 1) table.addRow(sum(results));
  say(table.render());
  for (const { fault, notes } of results) for (const note of notes) say(`${fault.name}: ${note}`);
  for (const line of notRun) say(`Not run: ${line}`);
  for (const { fault, seed, verdict } of results) {
    if (verdict.wrong.length === 0) continue;
    say(`\n${fault.name} (seed ${seed}) FAILED:`);
    for (const line of verdict.wrong.slice(0, 20)) say(`  ${line}`);
    if (verdict.wrong.length > 20) say(`  and ${verdict.wrong.length - 20} more`);
  }
}

function rowOf({ fault, injections, verdict, longestWaitMs }: FaultResult): Row {
  return {
    fault: fault.title,
    injections,
    actions: verdict.actions,
    duplicates: verdict.duplicates,
    'lost receipts': verdict.lostReceipts,
    'lost events': verdict.lostEvents,
    'unknown with owner': verdict.unknownWithOwner,
    'longest recovery': seconds(longestWaitMs),
  };
}

function sum(results: readonly FaultResult[]): Row {
  const total = (of: (result: FaultResult) => number): number => results.reduce((all, one) => all + of(one), 0);
  return {
    fault: 'all',
    injections: total(({ injections }) => injections),
    actions: total(({ verdict }) => verdict.actions),
    // What a fault is there to measure is in its own row.
    duplicates: total(({ verdict, secondEffectsAreMeasured }) => (secondEffectsAreMeasured ? 0 : verdict.duplicates)),
    'lost receipts': total(({ verdict, lossIsMeasured }) => (lossIsMeasured ? 0 : verdict.lostReceipts)),
    'lost events': total(({ verdict, lossIsMeasured }) => (lossIsMeasured ? 0 : verdict.lostEvents)),
    'unknown with owner': total(({ verdict }) => verdict.unknownWithOwner),
    'longest recovery': seconds(Math.max(...results.map(({ longestWaitMs }) => longestWaitMs))),
  };
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
