import { type Ledger } from '../../../ledger-service/src/store/ledger';
import { openLedger, type OpenLedger } from './open-ledger';

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

const claim = (ledger: Ledger, subject: string) =>
  ledger.claim(open.workspaceNo, { claims: [{ subject, operation: 'book' }] });

/** All connections of the pool at the same time, each once. */
const onEachConnection = (ledger: Ledger, sql: string): Promise<unknown> =>
  Promise.all(
    Array.from({ length: 10 }, () =>
      ledger.database.query(`SELECT pg_sleep(0.1); ${sql}`).catch((error: unknown) => error),
    ),
  );

test('a server that does not know a prepared statement, as behind a pooler, changes no answer', async () => {
  const ledger = open.another();
  await onEachConnection(ledger, 'SELECT 1');
  await Promise.all(Array.from({ length: 30 }, (_, index) => claim(ledger, `warm-${index}`)));
  // The next statement meets a server that never prepared what the client believes to be prepared.
  await onEachConnection(ledger, 'DEALLOCATE ALL');
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => claim(ledger, `cold-${index}`)));
  expect(answers.flat().map((answer) => 'decision' in answer && answer.decision)).toEqual(
    Array.from({ length: 30 }, () => 'proceed'),
  );
});

test('no session state is left on a connection that goes back to the pool', async () => {
  const ledger = open.another();
  await claim(ledger, 'one');
  await ledger.search(open.workspaceNo, { limit: 1 });
  const { rows } = await ledger.database.query(
    `SELECT current_setting('lock_timeout') AS lock_timeout, current_setting('search_path') AS search_path,
       current_setting('idle_in_transaction_session_timeout') AS idle,
       (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS advisory`,
  );
  expect(rows).toEqual([{ lock_timeout: '0', search_path: '"$user", public', idle: '0', advisory: 0 }]);
  const { rows: tables } = await open.sql.query(`SELECT FROM pg_class WHERE relpersistence = 't'`);
  expect(tables).toEqual([]);
});

test('a migration under a running ledger changes no answer', async () => {
  const ledger = open.another();
  await claim(ledger, 'before');
  // What a new column does to a plan that was prepared before: *cached plan must not change result type*.
  await open.sql.query('ALTER TABLE action_ledger.actions ADD COLUMN added_later integer');
  try {
    expect(await claim(ledger, 'after')).toMatchObject([{ decision: 'proceed' }]);
    expect(await claim(ledger, 'before')).toMatchObject([{ decision: 'in_progress' }]);
  } finally {
    await open.sql.query('ALTER TABLE action_ledger.actions DROP COLUMN added_later');
  }
});
