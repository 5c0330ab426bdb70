import { type ClaimAnswer } from '../../../ledger-service/src/domain/answers';
import { type Ledger } from '../../../ledger-service/src/store/ledger';
import { sound, Story } from '../domain/story';
import { openLedger, type OpenLedger } from '../store/open-ledger';
import { stoppedOnceAt } from './at-pass';

/** A claim that waits for another holder, and what happens between its being woken and its looking again. */
jest.setTimeout(60_000);

let open: OpenLedger;
let waiting: Ledger;
beforeAll(async () => {
  open = await openLedger();
  waiting = open.another();
  waiting.start();
});
afterAll(() => open.close());

/** Longer than any test takes: what ends it must be what the test does. */
const WAIT_MS = 50_000;

async function claimed(): Promise<Story> {
  const story = new Story(open);
  await story.claim();
  return story;
}

const wait = async (story: Story, signal?: AbortSignal): Promise<ClaimAnswer> =>
  sound(
    (
      await waiting.claim(open.workspaceNo, {
        waitMs: WAIT_MS,
        claims: [story.key],
        ...(signal !== undefined && { signal }),
      })
    )[0],
  );

test('the outcome comes between its first claim and its waiting: it is not missed', async () => {
  const story = await claimed();
  const answer = await stoppedOnceAt(
    'first claims answered',
    () => wait(story),
    () => story.receipt('confirmed', { reference: 'RSV-1' }),
  );
  expect(answer).toMatchObject({ decision: 'already_done', receipt: { reference: 'RSV-1' } });
});

test('woken by a release, it finds that another was faster: it waits on, and is told the other’s outcome', async () => {
  const story = await claimed();
  const answered = await stoppedOnceAt(
    'claims answered again',
    () =>
      stoppedOnceAt(
        'woken',
        () =>
          stoppedOnceAt(
            'first claims answered',
            () => wait(story),
            () => story.release(),
          ),
        () => story.claim(),
      ),
    // And the other's receipt comes before it waits again.
    () => story.receipt('confirmed', { reference: 'RSV-2' }),
  );
  expect(answered).toMatchObject({ decision: 'already_done', attempt: 2, receipt: { reference: 'RSV-2' } });
});

test('woken by a failure, its caller is gone: it claims nothing that nobody would carry out', async () => {
  const story = await claimed();
  const caller = new AbortController();
  const answer = await stoppedOnceAt(
    'first claims answered',
    () => wait(story, caller.signal),
    async () => {
      await story.receipt('failed');
      caller.abort();
    },
  );
  expect(answer).toMatchObject({ decision: 'in_progress' });
  expect(await story.stored()).toMatchObject({ state: 'failed', attempt: 1 });
});

test('its caller goes when it is woken already: that is seen before it claims', async () => {
  const story = await claimed();
  const caller = new AbortController();
  const answer = await stoppedOnceAt(
    'woken',
    () =>
      stoppedOnceAt(
        'first claims answered',
        () => wait(story, caller.signal),
        () => story.release(),
      ),
    () => {
      caller.abort();
      return Promise.resolve();
    },
  );
  expect(answer).toMatchObject({ decision: 'in_progress' });
  expect(await story.stored()).toMatchObject({ state: 'pending', attempt: 1 });
});

test('its connections are ended while it is woken: it claims all the same', async () => {
  const story = await claimed();
  const answer = await stoppedOnceAt(
    'woken',
    () =>
      stoppedOnceAt(
        'first claims answered',
        () => wait(story),
        () => story.release(),
      ),
    () =>
      open.sql.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'action-ledger'`),
  );
  expect(answer).toMatchObject({ decision: 'proceed', attempt: 2 });
});
