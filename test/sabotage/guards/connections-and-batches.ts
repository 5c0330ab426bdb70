import { type Guard } from '../guard';

const FACTS = 'ledger-service/src/store/server-facts.ts';
const BATCHER = 'ledger-service/src/store/batcher.ts';
const SETTLER = 'ledger-service/src/store/settle-commands.ts';
const UNFIT = 'test/service/store/unfit-servers.test.ts';

/** Which servers may decide, what counts as an acknowledgement, and in which order things are decided. */
export const CONNECTION_GUARDS: readonly Guard[] = [
  {
    name: 'no read-only server',
    why: 'A standby, or a primary that became one, decides nothing',
    patches: [{ file: FACTS, find: "if (facts.in_recovery || facts.read_only === 'on') {", replace: 'if (false) {' }],
    file: UNFIT,
    tests: 'a read-only server is refused|\\(standby\\) is refused',
  },
  {
    name: 'no server without fsync',
    why: 'What such a server confirmed can be gone after a power cut',
    patches: [{ file: FACTS, find: "if (facts.fsync === 'off') {", replace: 'if (false) {' }],
    file: UNFIT,
    tests: '\\(no_sync\\) is refused',
  },
  {
    name: 'no server that confirms before it is durable',
    why: 'With synchronous_commit off or local an acknowledged commit can be lost',
    patches: [
      {
        file: FACTS,
        find: "if (facts.synchronous_commit === 'off' || facts.synchronous_commit === 'local') {",
        replace: 'if (false) {',
      },
    ],
    file: UNFIT,
    tests: 'synchronous_commit = (off|local) is refused',
  },
  {
    name: 'a warning at the commit',
    why: 'A wait for the synchronous standby that was cancelled is no acknowledgement',
    patches: [
      {
        file: 'ledger-service/src/store/server-connection.ts',
        find: "if (notice.severity === 'WARNING')",
        replace: 'if (false)',
      },
    ],
    file: 'test/service/store/lost-answers.test.ts',
    tests: 'a notice at the commit is no acknowledgement',
  },
  {
    name: 'a resolution is not sent again',
    why: 'Its answer was lost; sent again it would be judged stale by its own effect',
    patches: [{ file: BATCHER, find: "if (failure === 'gone') fail(left.filter(isResolution), error);", replace: '' }],
    file: 'test/service/store/lost-answers.test.ts',
    tests: 'a resolution whose answer was lost',
  },
  {
    name: 'the order of what is asked of one action',
    why: 'The second receipt of an action does not overtake the first in another batch',
    patches: [
      {
        file: BATCHER,
        find: '(this.underWay.has(nameOf(one.item)) ? left : batch).push(one);',
        replace: 'batch.push(one);',
      },
    ],
    file: 'test/service/pause/order-of-arrival.test.ts',
    tests: 'while a batch with it is under way',
  },
  {
    name: 'duplicates in one batch (both checks)',
    why: 'The second claim of a key in a batch is decided on what the first leaves, or in the next round',
    patches: [
      { file: SETTLER, find: '      action = decision.change.next;\n', replace: '' },
      {
        file: SETTLER,
        find: '      if (plan !== null) return plan;\n',
        replace:
          '      if (plan !== null) {\n        plan.followers.push({ item, decision, newestVersion });\n        continue;\n      }\n',
      },
    ],
    file: 'test/service/store/batches.test.ts',
    tests: 'the same key many times in one call',
  },
  {
    name: 'the memory of policies',
    why: 'An answer that changes nothing is proved by no write: it must rest on the policy of now',
    patches: [
      {
        file: 'ledger-service/src/store/operations.ts',
        find: 'if (this.get(name)?.revision !== revision) this.forget(name);',
        replace: '',
      },
    ],
    file: 'test/service/store/policy-changes.test.ts',
    tests: 'also where the answer under the old policy would change nothing',
  },
  {
    name: 'other parts under the same identity',
    why: "A collision of hashes is an error, never somebody else's answer",
    patches: [
      {
        file: 'ledger-service/src/store/refuse-item.ts',
        find: '!sameKey(keyOf(command) ?? action.key, action.key)',
        replace: 'false',
      },
    ],
    file: 'test/service/store/answers-that-change-nothing.test.ts',
    tests: 'another action under the same identity',
  },
  {
    name: 'the proof in a claim token',
    why: 'Who does not hold the claim cannot end it',
    patches: [
      { file: 'ledger-service/src/store/refuse-item.ts', find: ' || !proves(token, action.secret)', replace: '' },
    ],
    file: 'test/service/store/foreign-tokens.test.ts',
    tests: 'whose proof was guessed|of one action does not open another',
  },
];
