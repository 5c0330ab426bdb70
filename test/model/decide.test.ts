import fc from 'fast-check';

import { anyCase } from './play/case';
import { made } from './play/moves';
import { casesOfRulesAlone } from './play/rules-alone';
import { seedOfRun, told } from './play/seed';

// No database, no HTTP: what decides is the domain of the service alone. Quick enough to be run for each of its mutants.
jest.setTimeout(300_000);

const CASES = Number(process.env['MODEL_CASES'] ?? 1_000);
const COMMANDS_A_CASE = 18;

test('the rules alone say what the model says, to the millisecond', async () => {
  const before = made.moves;
  await fc.assert(anyCase(casesOfRulesAlone()), { ...seedOfRun(), numRuns: CASES, reporter: told });
  if (process.env['MODEL_PATH'] === undefined) {
    expect(made.moves - before).toBeGreaterThanOrEqual(CASES * COMMANDS_A_CASE);
  }
});
