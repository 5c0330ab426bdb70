import { type ReferenceModel } from '../reference-model';
import { type Cases } from './case';
import { MemoryLedger } from './memory/memory-ledger';

const START = Date.parse('2026-10-20T03:00:00Z');
const DAY = 86_400_000;

/**
 * Cases for the service's rules in this process. The clock stands still but for the pauses, so that leases, windows and
 * settle times are met to the millisecond: 6,993 s are the 7,770 s of the destinations' window less its margin.
 */
export function casesOfRulesAlone(model?: ReferenceModel): Cases {
  let cases = 0;
  return {
    leases: [60, 777, 3_600, 6_993],
    eventAges: [0, 7 * DAY, 7 * DAY + 1, 8 * DAY],
    pauses: [1, 300, 900, 3_393, 6_993],
    start: () => START,
    longest: 60,
    looksAlways: true,
    next: () => ({ name: `m${++cases}`, ledger: new MemoryLedger(START) }),
    ...(model === undefined ? {} : { model }),
  };
}
