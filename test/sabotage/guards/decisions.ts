import { type Guard } from '../guard';

const CONDITIONS = 'ledger-service/src/domain/conditions.ts';
const TABLE = 'ledger-service/src/domain/transitions.ts';

/** The rules themselves. */
export const DECISION_GUARDS: readonly Guard[] = [
  {
    name: 'unknown when the lease is over',
    why: 'A holder that did not come back may have acted: nobody may act again before somebody has looked',
    patches: [
      {
        file: 'ledger-service/src/domain/effects/lease-ends.ts',
        find: "return move(s, 'unknown', kind, { cause }",
        replace: "return move(s, 'failed', kind, { cause }",
      },
    ],
    file: 'test/service/store/wrong-clock.test.ts',
    tests: 'a lease that is over is over',
  },
  {
    name: 'a late confirmation',
    why: 'Positive evidence is kept whenever it comes',
    patches: [
      {
        file: TABLE,
        find: "{ from: ['pending', 'unknown', 'failed'], when: 'confirmed, any attempt'",
        replace: "{ from: ['pending'], when: 'confirmed, any attempt'",
      },
    ],
    file: 'test/service/pause/second-ledger.test.ts',
    tests: 'a late receipt and the sweep',
  },
  {
    name: 'the place of a claim in its call',
    why: 'The answer of one claim is not given to another of the same call',
    patches: [{ file: CONDITIONS, find: '    command.callPosition === action.callPosition &&\n', replace: '' }],
    file: 'test/service/domain/named-sequences.test.ts',
    tests: 'repeated to the same call and position only',
  },
  {
    name: 'the same idempotency key after "not happened"',
    why: 'A paused holder may still send under it; the destination must recognise both',
    patches: [
      {
        file: 'ledger-service/src/domain/effects/resolutions.ts',
        find: "      rotateKey: false,\n      cause: 'not_happened',",
        replace: "      rotateKey: true,\n      cause: 'not_happened',",
      },
    ],
    file: 'test/service/domain/idempotency-keys.test.ts',
    tests: 'stays after not happened',
  },
  {
    name: "the margin of the destination's window",
    why: 'A repeat whose lease would end with the window may reach a destination that has forgotten the key',
    patches: [
      {
        file: 'ledger-service/src/domain/policy.ts',
        find: 'export const WINDOW_MARGIN = 0.1;',
        replace: 'export const WINDOW_MARGIN = 0;',
      },
    ],
    file: 'test/service/domain/safe-repeat.test.ts',
    tests: 'when the lease would not fit',
  },
  {
    name: 'the fence of a resolution',
    why: 'What was looked up before the action moved on decides nothing',
    patches: [
      {
        file: CONDITIONS,
        find: 'command.fence.attempt === action.attempt && command.fence.historySeq === action.historySeq;',
        replace: 'true;',
      },
    ],
    file: 'test/service/domain/named-sequences.test.ts',
    tests: 'a resolution from a stale page is refused',
  },
  {
    name: 'the settle time of a look-up',
    why: '"Not found" is no proof while the effect may still show itself',
    patches: [{ file: CONDITIONS, find: 'now >= settledAt(action, policy.settleSeconds)', replace: 'true' }],
    file: 'test/service/domain/settle-time.test.ts',
    tests: 'a look-up proves nothing before it is over',
  },
  {
    name: 'other details under the same key',
    why: 'Another amount under the same order number is a question for a person, not a repetition',
    patches: [
      {
        file: CONDITIONS,
        find: 'command.fingerprint !== null && command.fingerprint !== action.fingerprint;',
        replace: 'false;',
      },
    ],
    file: 'test/service/domain/order-of-checks.test.ts',
    tests: 'other details come before the row of the state',
  },
  {
    name: 'a failure while another attempt is unresolved',
    why: 'That the repeat was refused says nothing of the attempt before it',
    patches: [
      {
        file: CONDITIONS,
        find: 'thisAttempt(s) && unresolvedAttempt(s) && !othersUnresolved(s);',
        replace: 'thisAttempt(s) && unresolvedAttempt(s);',
      },
    ],
    file: 'test/service/domain/named-sequences.test.ts',
    tests: 'a repeat that is refused stays unknown',
  },
  {
    name: 'the confirmation of an older attempt',
    why: 'A newer attempt under way must not end as failed, and be repeated, when the older one had its effect',
    patches: [
      {
        file: 'ledger-service/src/domain/effects/receipts.ts',
        find: '      effectSeen: true,\n    },\n    { facts, details, attempt',
        replace: '      effectSeen: false,\n    },\n    { facts, details, attempt',
      },
    ],
    file: 'test/service/domain/named-sequences.test.ts',
    tests: 'a confirmed receipt of an old attempt is never lost',
  },
];
