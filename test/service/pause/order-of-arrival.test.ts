import { sound, Story } from '../domain/story';
import { openLedger, type OpenLedger } from '../store/open-ledger';
import { stoppedOnceAt } from './at-pass';

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

test('what is asked of an action while a batch with it is under way is decided after that batch', async () => {
  const story = new Story(open);
  await story.claim();
  let second: Promise<unknown> | undefined;
  const first = await stoppedOnceAt(
    'batch chosen',
    () => story.receipt('confirmed', { reference: 'RSV-1' }),
    async () => {
      second = story.receipt('confirmed', { reference: 'RSV-2' });
      // Another action's goes past both: there is a free connection for it.
      const other = new Story(open);
      await other.claim();
      expect(await other.receipt('confirmed')).toMatchObject({ result: 'recorded' });
    },
  );
  expect(first).toMatchObject({ result: 'recorded', contradiction: null });
  expect(await second).toMatchObject({ result: 'contradiction', contradiction: 'two_effects' });
});

test('a batch that fails is not overtaken either', async () => {
  const story = new Story(open);
  await story.claim();
  const { sql } = open;
  let second: Promise<unknown> | undefined;
  const first = await stoppedOnceAt(
    'batch tried again',
    () =>
      stoppedOnceAt(
        'connected',
        () => story.receipt('failed'),
        () =>
          sql.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'action-ledger'`),
      ),
    async () => {
      second = open.ledger
        .receipts(open.workspaceNo, [{ claimToken: story.current.claimToken, outcome: 'confirmed' }])
        .then(([answer]) => sound(answer));
      await new Promise((resolve) => setImmediate(resolve));
    },
  );
  expect(first).toMatchObject({ result: 'recorded', state: 'failed' });
  expect(await second).toMatchObject({ result: 'recorded', state: 'confirmed', contradiction: 'after_failed' });
});
