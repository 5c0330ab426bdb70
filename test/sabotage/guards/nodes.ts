import { type Guard } from '../guard';

const OUTCOME = 'nodes/RecordReceipt/outcome.ts';
const DECIDED = 'nodes/RecordReceipt/decide-outcome.ts';
const CLAIM = 'nodes/ClaimAction/ClaimAction.node.ts';

/** What the nodes hold back when they do not know. */
export const NODE_GUARDS: readonly Guard[] = [
  {
    name: 'node: an error of a shape that is not known',
    why: 'Only what proves that nothing was done is a failure; all else may have been done',
    patches: [
      {
        file: OUTCOME,
        find: "return unknown(null, 'the error has neither a status nor a code that is known');",
        replace: "return { outcome: 'failed', status: null, reason: 'unrecognised' };",
      },
    ],
    file: 'test/nodes/error-items.test.ts',
    tests: 'a step that tries once',
  },
  {
    name: 'node: a connection that broke after sending',
    why: 'The request may have arrived',
    patches: [
      {
        file: OUTCOME,
        find: 'return unknown(null, `${code} can come after the request was sent`);',
        replace: "return { outcome: 'failed', status: null, reason: code };",
      },
    ],
    file: 'test/nodes/error-items.test.ts',
    tests: 'a step that tries once',
  },
  {
    name: 'node: a ledger that is out of reach',
    why: 'Without the ledger nothing proceeds',
    patches: [
      {
        file: CLAIM,
        find: 'return onlyErrors(OUTPUTS, [...failures, ...failed]);',
        replace: 'return [items, [], []];',
      },
    ],
    file: 'test/nodes/claim-unreachable.test.ts',
    tests: 'when nothing listens at the address, 1 items',
  },
  {
    name: 'node: another ledger than the credential names',
    why: 'An empty ledger by mistake would let everything proceed',
    patches: [
      {
        file: 'nodes/shared/transport.ts',
        find: "if (settings.ledgerId !== '' && settings.ledgerId !== ledgerId) {",
        replace: 'if (false) {',
      },
    ],
    file: 'test/nodes/claim-unreachable.test.ts',
    tests: 'when another ledger answers',
  },
  {
    name: 'node: an answer that took half of the lease',
    why: 'The step could still be running when the lease ends',
    patches: [
      { file: CLAIM, find: 'const isLate = ageMs > (answer.leaseMs ?? 0) / 2;', replace: 'const isLate = false;' },
    ],
    file: 'test/nodes/claim-routing.test.ts',
    tests: 'took more than half of its lease',
  },
  {
    name: 'node: the input on the Success output (both checks)',
    why: 'n8n passes the input on when a step throws: what carries its claim, or holds nothing new, is no result',
    patches: [
      { file: DECIDED, find: 'if (isRecord(json.claim)) {', replace: 'if (false) {' },
      { file: DECIDED, find: 'if (!holdsSomethingNew(json, facts.claimValues)) {', replace: 'if (false) {' },
    ],
    file: 'test/nodes/receipt-of-a-result.test.ts',
    tests: 'a disabled step hands its input on',
  },
];
