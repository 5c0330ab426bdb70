import fc from 'fast-check';

import { anyCase } from './play/case';
import { HttpLedger } from './play/http-ledger';
import { made } from './play/moves';
import { seedOfRun, told } from './play/seed';

jest.setTimeout(1_200_000);

/** Each lane has a database of its own, since a sweep ends all leases that are over. */
const LANES = 3;
const CASES_A_LANE = 125;
const COMMANDS = 20_000;

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

const lanes: HttpLedger[] = [];

beforeAll(async () => {
  lanes.push(...(await Promise.all(Array.from({ length: LANES }, () => HttpLedger.start()))));
});

afterAll(() => Promise.all(lanes.map((lane) => lane.stop())));

test(`the ledger over HTTP and PostgreSQL says what the model says, in at least ${COMMANDS} commands`, async () => {
  const before = made.moves;
  const began = performance.now();
  const ran = lanes.map(async (ledger, lane) => {
    let cases = 0;
    let start = 0;
    // Leases, windows and pauses never add up to the same moment: what comes first must not hang on milliseconds.
    const property = anyCase({
      leases: [3_600, 6_400],
      eventAges: [MINUTE, DAY, 8 * DAY],
      pauses: [310, 1_700, 3_450],
      start: () => start,
      longest: 150,
      looksAlways: false,
      next: () => {
        start = Date.now();
        return { name: `${lane}-${++cases}`, ledger };
      },
    });
    await fc.assert(property, { ...seedOfRun(lane), numRuns: CASES_A_LANE, reporter: told });
  });
  const ends = await Promise.allSettled(ran);
  for (const end of ends) if (end.status === 'rejected') throw end.reason as Error;
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  process.stderr.write(`Model: ${made.moves - before} commands in ${seconds} s, seed ${seedOfRun().seed}\n`);
  expect(made.moves - before).toBeGreaterThanOrEqual(COMMANDS);
});
