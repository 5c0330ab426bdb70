import { randomUUID } from 'node:crypto';

import { type ClaimAnswer } from '../../../ledger-service/src/domain/answers';
import { Problem } from '../../../ledger-service/src/domain/problem';
import { Ledger } from '../../../ledger-service/src/store/ledger';
import { openLedger, type OpenLedger } from './open-ledger';

jest.setTimeout(60_000);

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
  await open.configure('charge', {
    safeRepeat: true,
    destinationIdempotency: 'key',
    destinationWindowSeconds: 86_400,
    maxAttempts: 1_000,
  });
});
afterAll(() => open.close());

const RUN_MS = 3_000;
const KEYS = 25;
const EVENTS = 6;

const below = (limit: number): number => Math.floor(Math.random() * limit);
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)]!;

/** What this caller was granted and may end. */
type Held = Pick<ClaimAnswer, 'claimToken' | 'actionId'>;

async function claimSome(ledger: Ledger, held: Held[]): Promise<unknown[]> {
  const answers = await ledger.claim(open.workspaceNo, {
    requestToken: randomUUID(),
    claims: Array.from({ length: 1 + below(40) }, () => ({
      subject: `order-${below(KEYS)}`,
      operation: 'charge',
      version: 1 + below(3),
      details: { amount: 1 },
      event: { id: `evt-${below(EVENTS)}` },
      ...(below(2) === 0 ? {} : { subjectVersion: { stream: `stream-${below(3)}`, value: below(50) } }),
      leaseSeconds: 1 + below(300),
      holder: { kind: 'n8n', executionId: `${below(20)}`, sendsIdempotencyKey: true },
    })),
  });
  for (const answer of answers) {
    if (!(answer instanceof Problem) && answer.decision === 'proceed') held.push(answer);
  }
  return answers;
}

const some = (held: Held[]): string[] => held.splice(0, below(8)).map(({ claimToken }) => claimToken!);

const beat = (ledger: Ledger, held: Held[]): Promise<unknown[]> =>
  ledger.heartbeats(
    open.workspaceNo,
    shuffled(held)
      .slice(0, 60)
      .map(({ claimToken }) => ({ claimToken: claimToken! })),
  );

const shuffled = <T>(values: readonly T[]): T[] => [...values].sort(() => Math.random() - 0.5);

/** One caller: whatever comes into its head, on what all callers hold together, in orders of its own. */
async function rummage(ledger: Ledger, held: Held[], until: number): Promise<unknown[]> {
  const seen: unknown[] = [];
  while (performance.now() < until) {
    const answers = await oneOf([
      () => claimSome(ledger, held),
      () => claimSome(ledger, held),
      () =>
        ledger.receipts(
          open.workspaceNo,
          some(held).flatMap((claimToken) => {
            const outcome = oneOf(['confirmed', 'failed', 'unknown', 'failed'] as const);
            const receipt = { claimToken, outcome, reference: `R-${below(5)}`, evidence: { n: below(3) } };
            return below(4) === 0 ? [receipt, receipt] : [receipt];
          }),
        ),
      () =>
        ledger.releases(
          open.workspaceNo,
          some(held).map((claimToken) => ({ claimToken })),
        ),
      () => beat(ledger, held),
      () => beat(ledger, held),
      () => beat(ledger, held),
      () => ledger.register(open.workspaceNo, [{ subject: `order-${below(KEYS)}`, operation: 'charge', version: 4 }]),
      async () => [
        await ledger.endExecution(open.workspaceNo, { holder: { kind: 'n8n', executionId: `${below(20)}` } }),
      ],
      async () => [await ledger.sweep()],
    ])();
    seen.push(...answers);
  }
  return seen;
}

test('two ledgers, sixteen callers, batches that overlap at random: no deadlock, no failure', async () => {
  const deadlocks = async (): Promise<number> => {
    await open.sql.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await open.sql.query<{ deadlocks: string }>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(rows[0]!.deadlocks);
  };
  const failures: unknown[] = [];
  const onError = (error: unknown): number => failures.push(error);
  const ledgers = [0, 1].map(() => new Ledger({ databaseUrl: open.url, onError }));
  const held: Held[] = [];
  const until = performance.now() + RUN_MS;
  const seen = (
    await Promise.all(Array.from({ length: 16 }, (_, caller) => rummage(ledgers[caller % 2]!, held, until)))
  ).flat();
  expect(failures).toEqual([]);
  expect(seen.filter((answer) => answer instanceof Problem)).toEqual([]);
  // Enough has happened for locks to have met.
  expect(seen.length).toBeGreaterThan(500);
  // The server counts what ended by a deadlock, also what was tried again and went well.
  await Promise.all(ledgers.map((ledger) => ledger.stop()));
  expect(await deadlocks()).toBe(0);
});

test('after all that every history is whole', async () => {
  const { rows } = await open.sql.query<{ id: string }>('SELECT id FROM action_ledger.actions');
  expect(rows.length).toBeGreaterThan(KEYS);
  const actions = await open.ledger.reading.byIds(
    open.workspaceNo,
    rows.map(({ id }) => id),
  );
  for (const action of actions) expect((await open.ledger.reading.history(action)).verified).toBe(true);
  const { rows: broken } = await open.sql.query(
    `SELECT a.id FROM action_ledger.actions a LEFT JOIN action_ledger.open_actions o USING (workspace_no, id)
     WHERE (a.state = 3) = (o.id IS NOT NULL) OR (o.id IS NOT NULL AND o.state <> a.state)`,
  );
  expect(broken).toEqual([]);
});
