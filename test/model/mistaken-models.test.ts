import fc from 'fast-check';

import { anyCase } from './play/case';
import { casesOfRulesAlone } from './play/rules-alone';
import { seedOfRun } from './play/seed';
import { othersUnresolved } from './reference/action-story';
import { ReferenceModel } from './reference-model';
import { DESIGN, type Rules } from './reference/rules';

// That the comparison can fail: a model that gets one rule wrong is told apart from the ledger, by a short case.

jest.setTimeout(300_000);

const CASES = 1_000;
const SHORT = 8;

const MISTAKES: Record<string, Partial<Rules>> = {
  'forgets that a lease that is over leaves the action unknown': { leaseIsOver: () => false },
  'gives a new idempotency key after *did not happen*': {
    startsNewKey: (action) => DESIGN.startsNewKey(action) || action.cause === 'not_happened',
  },
  'gives a new idempotency key after any failed receipt': {
    startsNewKey: (action) => DESIGN.startsNewKey(action) || action.keyFailedBy !== null,
  },
  'takes a failed receipt for the end while another attempt is unresolved': {
    failedDecides: (_action, attempt) => attempt.unresolved,
  },
  'drops a confirmation that comes late': {
    confirmationCounts: (action, attempt) => action.state === 'in_progress' && attempt === action.attempts.length,
  },
  'lets a failed receipt stand while an older attempt may have had its effect': {
    failedDecides: (action, attempt) =>
      DESIGN.failedDecides(action, attempt) ||
      (attempt.number === action.attempts.length && othersUnresolved(action, attempt.number)),
  },
};

test.each(Object.entries(MISTAKES))('a model that %s is found out', async (_mistake, rules) => {
  const model = new ReferenceModel({ ...DESIGN, ...rules });
  const found = await fc.check(anyCase(casesOfRulesAlone(model)), { ...seedOfRun(), numRuns: CASES });
  expect(found.failed).toBe(true);
  const { message } = found.errorInstance as Error;
  expect(message).toContain('The ledger and the model differ');
  // Shrunk to what a person can follow.
  expect(message.match(/^ {2}\d+\. /gm)?.length).toBeLessThanOrEqual(SHORT);
});

test('a model that makes no mistake is not', async () => {
  const found = await fc.check(anyCase(casesOfRulesAlone(new ReferenceModel(DESIGN))), {
    ...seedOfRun(),
    numRuns: 100,
  });
  expect(found.errorInstance).toBeNull();
  expect(found.failed).toBe(false);
});
