import { randomUUID } from 'node:crypto';

import { type ClaimAnswer } from '../../../ledger-service/src/domain/answers';
import { type Ledger } from '../../../ledger-service/src/store/ledger';
import { openLedger, type OpenLedger } from './open-ledger';

jest.setTimeout(180_000);

const CALLERS = 64;
const CLAIMS_A_CALL = 50;

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

/** Every caller claims every key, in an order of its own, and keeps what it was answered. */
async function race(ledgers: readonly Ledger[], operation: string, keys: number): Promise<ClaimAnswer[][]> {
  return Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      const ledger = ledgers[caller % ledgers.length]!;
      const answers: ClaimAnswer[] = [];
      for (let from = 0; from < keys; from += CLAIMS_A_CALL) {
        const results = await ledger.claim(open.workspaceNo, {
          requestToken: randomUUID(),
          claims: Array.from({ length: CLAIMS_A_CALL }, (_unused, index) => ({
            // Some go up, some go down, some begin in the middle: batches that overlap in every way.
            subject: `order-${(caller * 31 + (caller % 2 === 0 ? from + index : keys - 1 - from - index)) % keys}`,
            operation,
            holder: { kind: 'n8n', executionId: `${caller}` },
          })),
        });
        for (const result of results) {
          if (result instanceof Error) throw result;
          answers.push(result);
        }
      }
      return answers;
    }),
  );
}

async function judge(answers: ClaimAnswer[][], operation: string, keys: number): Promise<void> {
  const proceeds = new Map<string, number>();
  for (const answer of answers.flat()) {
    if (answer.decision === 'proceed') {
      proceeds.set(answer.actionKey, (proceeds.get(answer.actionKey) ?? 0) + 1);
    } else {
      expect(answer.decision).toBe('in_progress');
    }
  }
  expect(answers.every((own) => own.length === keys)).toBe(true);
  expect(answers.every((own) => new Set(own.map(({ actionKey }) => actionKey)).size === keys)).toBe(true);
  expect(proceeds.size).toBe(keys);
  expect([...proceeds.values()].every((count) => count === 1)).toBe(true);
  const { rows } = await open.sql.query<{ count: number; attempts: number; entries: number }>(
    `SELECT count(*)::int AS count, max(a.attempt) AS attempts,
       (SELECT count(*)::int FROM action_ledger.history h WHERE h.action_no = ANY(array_agg(a.no))) AS entries
     FROM action_ledger.actions a JOIN action_ledger.operations o USING (workspace_no)
     WHERE o.no = a.operation_no AND o.name = $1`,
    [operation],
  );
  expect(rows).toEqual([{ count: keys, attempts: 1, entries: keys }]);
}

test('64 callers, 2,000 keys, all claimed by all: one proceed a key, every caller answered', async () => {
  await judge(await race([open.ledger], 'one-ledger', 2_000), 'one-ledger', 2_000);
});

test('the same over two ledgers on one database, with fewer keys', async () => {
  await judge(await race([open.ledger, open.another()], 'two-ledgers', 150), 'two-ledgers', 150);
});
