import { type Ledger } from '../../../ledger-service/src/store/ledger';
import { DETAILS, LEASE_OVER_MS, Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

/**
 * What is looked for without locks may have moved on when it is decided: each test puts that moment between the two.
 */
let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
  await open.configure('charge', {
    safeRepeat: true,
    destinationIdempotency: 'key',
    destinationWindowSeconds: 86_400,
    retryAfterFailure: true,
  });
});
afterAll(() => open.close());

/** A ledger that is held up once, after a statement of this kind was answered. */
function heldUpAfter(statement: RegExp, meanwhile: () => Promise<unknown>): Ledger {
  const ledger = open.another();
  const { database } = ledger;
  const query = database.query.bind(database);
  let once = false;
  jest.spyOn(database, 'query').mockImplementation(async (text, values) => {
    const result = await query(text, values);
    if (!once && statement.test(text)) {
      once = true;
      await meanwhile();
    }
    return result;
  });
  return ledger;
}

const repeat = (story: Story): Promise<unknown> =>
  story.ask({ details: DETAILS, holder: { ...story.holder('another'), sendsIdempotencyKey: true } });

test('a sweep that found a lease over leaves the next attempt alone', async () => {
  const story = new Story(open, 'charge');
  await story.claim({ leaseSeconds: 1 });
  await new Promise((resolve) => setTimeout(resolve, LEASE_OVER_MS));
  const sweeper = heldUpAfter(/open_actions[\s\S]*state = 2[\s\S]*due_at <=/, () => repeat(story));
  expect(await sweeper.sweep()).toBe(0);
  expect(await story.stored()).toMatchObject({ state: 'in_progress', attempt: 2 });
});

test('the end of an execution leaves an attempt alone that another has made since', async () => {
  const story = new Story(open, 'charge');
  await story.claim();
  const holder = story.holder(story.current.executionId);
  const ledger = heldUpAfter(/holder_id = \$2/, async () => {
    await story.receipt('unknown');
    await repeat(story);
  });
  expect(await ledger.endExecution(open.workspaceNo, { holder })).toEqual([]);
  expect(await story.stored()).toMatchObject({ state: 'in_progress', attempt: 2 });
});

test('a receipt that was decided on one state is decided again on the next', async () => {
  const story = new Story(open, 'charge');
  await story.claim();
  // Read as in progress; unknown when it is written, and repeated: it is an older attempt's then.
  const ledger = heldUpAfter(/unnest[\s\S]*LEFT JOIN action_ledger.actions/, async () => {
    await story.crash();
    await repeat(story);
  });
  const { claimToken } = story.current;
  expect(await ledger.receipts(open.workspaceNo, [{ claimToken, outcome: 'failed' }])).toMatchObject([
    { result: 'superseded', state: 'in_progress', attempt: 2 },
  ]);
});

test('a claim that found an action failed does not claim what was claimed since', async () => {
  const story = new Story(open, 'charge');
  await story.claim();
  await story.receipt('failed');
  const ledger = heldUpAfter(/unnest[\s\S]*LEFT JOIN action_ledger.actions/, () => story.claim());
  expect(await ledger.claim(open.workspaceNo, { claims: [story.key] })).toMatchObject([
    { decision: 'in_progress', attempt: 2, claimToken: null },
  ]);
});

test('a claim that was the newest version is stale when a newer one came before it was written', async () => {
  const story = new Story(open);
  const subjectVersion = (value: number) => ({ stream: 'order', value });
  const ledger = heldUpAfter(/subject_versions v/, () =>
    open.ledger.claim(open.workspaceNo, { claims: [{ ...story.key, version: 2, subjectVersion: subjectVersion(9) }] }),
  );
  expect(
    await ledger.claim(open.workspaceNo, { claims: [{ ...story.key, subjectVersion: subjectVersion(5) }] }),
  ).toMatchObject([{ decision: 'stale', newer: { stream: 'order', value: 9 } }]);
});
