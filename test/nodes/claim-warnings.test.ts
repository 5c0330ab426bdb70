import { Engine } from './engine';
import type { RunOptions, WorkflowDefinition } from './engine';
import { engineFor, guarded } from './claim-workflow';
import { agreeable, ScriptedLedger } from './scripted-ledger';

let ledger: ScriptedLedger;
let engine: Engine;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
});
afterAll(() => ledger.stop());
beforeEach(() => {
  ledger.answer(agreeable);
  engine = engineFor(ledger);
});

const run = (definition: WorkflowDefinition, options: RunOptions) => engine.run(definition, options);

describe('warnings', () => {
  const hintsFor = async (orderId: unknown, parameters = {}, options: RunOptions = {}) =>
    (await run(guarded(parameters), { items: [{ orderId }], executionId: '9001', ...options }))
      .hints('Claim')
      .join('\n');

  test.each([
    ['someone@example.com', 'an email address'],
    ['9001', 'the execution ID'],
    ['2026-10-20T03:00:00Z', 'a time'],
    ['20.10.2026', 'a time'],
    [1_792_000_000, 'a time'],
    ['49.00', 'an amount'],
    ['€ 49', 'an amount'],
    ['1,249.90 EUR', 'an amount'],
    ['7f3c2c1e-3b5d-4a79-9a51-7d1c8a54c001', 'a generated ID'],
    ['Hello dear customer, your seat is booked now', 'written text'],
  ])('%p looks like %s', async (orderId, looksLike) => {
    expect(await hintsFor(orderId)).toContain(`looks like ${looksLike}`);
  });

  test.each(['workshop-842', '842', 'ORD_2026-000123', 'shop-1/842', 'cs_test_a1b2c3', 1234])(
    '%p is fine',
    async (orderId) => {
      expect(await hintsFor(orderId)).not.toContain('looks like');
    },
  );

  test.each([
    ['={{ $execution.id }}', 'the execution ID'],
    ['={{ $now.toMillis() }}', 'the time of this run'],
    ['={{ Math.random() }}', 'made anew'],
  ])('%s changes from run to run', async (businessId, madeFrom) => {
    expect(await hintsFor('a', { businessId })).toContain(madeFrom);
  });

  test("of the next step's settings and of Save Execution Progress", async () => {
    const definition = guarded();
    definition.settings = { saveExecutionProgress: true };
    Object.assign(definition.nodes[2]!, {
      onError: 'stopWorkflow',
      retryOnFail: true,
      maxTries: 2,
      waitBetweenTries: 1,
    });
    const hints = (await run(definition, { items: [{ orderId: 'a' }] })).hints('Claim').join('\n');
    expect(hints).toContain('Save Execution Progress on');
    expect(hints).toContain('"Proceed" has Retry On Fail on');
    expect(hints).toContain('"Proceed" has no error output');
  });

  test('none where everything is in order', async () => {
    expect(await hintsFor('workshop-842')).toBe('');
  });
});
