import { type ErasedPage, type Place, Retention } from '../../../ledger-service/src/store/retention';
import { DETAILS, Story } from '../domain/story';
import { openLedger, type OpenLedger } from '../store/open-ledger';
import { age, detailsLeft, tombstones } from './aged-details';

let open: OpenLedger;
beforeEach(async () => {
  open = await openLedger();
});
afterEach(() => open.close());

const keeping = (operation: string, days: number | null): Promise<void> =>
  open.configure(operation, { detailsRetentionDays: days });

const confirmed = async (operation = 'reserve-seat'): Promise<Story> => {
  const story = new Story(open, operation);
  await story.claim();
  await story.receipt('confirmed', { reference: `RSV-${story.subject}`, evidence: { answered: '201 Created' } });
  return story;
};

/** One pass over everything. */
async function pass(
  limit = 500,
  retention: Retention = open.ledger.retention,
): Promise<{ erased: number; kept: number }> {
  let [erased, kept] = [0, 0];
  for (const operation of await retention.operations()) {
    let after: Place | null = null;
    do {
      const page: ErasedPage = await retention.erasePage(operation, limit, after);
      erased += page.erased;
      kept += page.kept;
      after = page.next;
    } while (after !== null);
  }
  return { erased, kept };
}

test('what is older than the operation keeps it is erased, and nothing else of anything', async () => {
  await keeping('reserve-seat', 30);
  const [old, young] = [await confirmed(), await confirmed()];
  const other = await confirmed('send-confirmation');
  await age(open, 29.999);
  await age(open, 0.002, [old.subject]);
  const before = await tombstones(open);
  expect(await detailsLeft(open)).toEqual({ [old.subject]: 2, [young.subject]: 2, [other.subject]: 2 });
  expect(await pass()).toEqual({ erased: 2, kept: 0 });
  expect(await detailsLeft(open)).toEqual({ [young.subject]: 2, [other.subject]: 2 });
  expect(await pass()).toEqual({ erased: 0, kept: 0 });
  expect(await tombstones(open)).toBe(before);
});

test('erasing never lets an action through again, and its history is whole and says what is gone', async () => {
  await keeping('reserve-seat', 1);
  const story = await confirmed();
  await age(open, 2);
  await pass();
  expect(await story.ask()).toMatchObject({
    decision: 'already_done',
    receipt: { reference: `RSV-${story.subject}` },
  });
  expect((await story.ask({ details: { ...DETAILS, amount: 1 } })).decision).toBe('mismatch');
  expect((await story.receipt('confirmed', { reference: `RSV-${story.subject}` })).result).toBe('recorded');
  const action = await open.ledger.reading.byId(open.workspaceNo, story.id);
  const { entries, verified } = await open.ledger.reading.history(action!);
  expect(verified).toBe(true);
  expect(entries.map(({ kind, details, detailsErased }) => ({ kind, details, detailsErased }))).toEqual([
    { kind: 'claimed', details: null, detailsErased: true },
    { kind: 'receipt_confirmed', details: null, detailsErased: true },
  ]);
});

test('a step that never had details is not shown as erased', async () => {
  const story = new Story(open);
  await story.claim({ details: undefined });
  const action = await open.ledger.reading.byId(open.workspaceNo, story.id);
  const { entries } = await open.ledger.reading.history(action!);
  expect(entries).toMatchObject([{ details: null, detailsErased: false }]);
});

test('what is in progress or unknown keeps its details until it is decided, however old they are', async () => {
  await keeping('reserve-seat', 1);
  const [held, unknown, failed, pending] = [new Story(open), new Story(open), new Story(open), new Story(open)];
  for (const story of [held, unknown, failed, pending]) await story.claim();
  await unknown.receipt('unknown', { evidence: { timeout: true } });
  await failed.receipt('failed', { evidence: { full: true } });
  await pending.release();
  await age(open, 400);
  expect(await pass()).toEqual({ erased: 3, kept: 3 });
  expect(await detailsLeft(open)).toEqual({ [held.subject]: 1, [unknown.subject]: 2 });
  await unknown.resolve('happened', { reference: 'RSV-9' });
  await held.receipt('failed');
  // What was written when it was decided is young.
  expect(await pass()).toEqual({ erased: 3, kept: 0 });
  expect(await detailsLeft(open)).toEqual({ [unknown.subject]: 1 });
});

test('what stays unknown does not stand in the way of what is behind it, page by page', async () => {
  await keeping('reserve-seat', 1);
  const stories = Array.from({ length: 25 }, () => new Story(open));
  const answers = await open.ledger.claim(open.workspaceNo, {
    claims: stories.map(({ key }) => ({ ...key, details: DETAILS })),
  });
  // All of one moment; every second one is decided.
  await open.ledger.receipts(
    open.workspaceNo,
    answers.flatMap((answer, index) =>
      index % 2 === 0 && 'claimToken' in answer
        ? [{ claimToken: answer.claimToken!, outcome: 'confirmed' as const }]
        : [],
    ),
  );
  await age(open, 2);
  for (const limit of [3, 7]) {
    expect(await pass(limit)).toEqual(limit === 3 ? { erased: 13, kept: 12 } : { erased: 0, kept: 12 });
  }
});

test('a page erases so many at most, the oldest first', async () => {
  await keeping('reserve-seat', 1);
  const stories = [await confirmed(), await confirmed(), await confirmed()];
  for (const [index, { subject }] of stories.entries()) await age(open, 10 - index, [subject]);
  const [operation] = await open.ledger.retention.operations();
  const first = await open.ledger.retention.erasePage(operation!, 2);
  expect(first).toMatchObject({ erased: 2, kept: 0, next: expect.anything() });
  expect(Object.keys(await detailsLeft(open)).sort()).toEqual([stories[1]!.subject, stories[2]!.subject].sort());
  const last = await open.ledger.retention.erasePage(operation!, 5, first.next);
  expect(last).toEqual({ erased: 4, kept: 0, next: null });
});

test('the policy of the moment counts: a retention that was just turned off, or made longer, erases nothing', async () => {
  await keeping('reserve-seat', 1);
  await confirmed();
  await age(open, 5);
  const known = await open.ledger.retention.operations();
  expect(known).toHaveLength(1);
  await keeping('reserve-seat', 6);
  expect(await open.ledger.retention.erasePage(known[0]!, 10)).toEqual({ erased: 0, kept: 0, next: null });
  await keeping('reserve-seat', null);
  expect(await open.ledger.retention.erasePage(known[0]!, 10)).toEqual({ erased: 0, kept: 0, next: null });
  expect(await open.ledger.retention.operations()).toEqual([]);
  await keeping('reserve-seat', 4);
  expect(await pass()).toEqual({ erased: 2, kept: 0 });
});

test('the longest retention there is does not break the job', async () => {
  await keeping('reserve-seat', 36_500);
  await confirmed();
  await age(open, 36_499);
  expect(await pass()).toEqual({ erased: 0, kept: 0 });
  await age(open, 2);
  expect(await pass()).toEqual({ erased: 2, kept: 0 });
});

test('every workspace by itself', async () => {
  const elsewhere = await open.workspace('elsewhere');
  await keeping('reserve-seat', 1);
  const claims = [{ subject: 'same', operation: 'reserve-seat', details: DETAILS }];
  for (const no of [open.workspaceNo, elsewhere]) {
    const [answer] = await open.ledger.claim(no, { claims });
    await open.ledger.receipts(no, [
      { claimToken: (answer as { claimToken: string }).claimToken, outcome: 'confirmed' },
    ]);
  }
  await age(open, 2);
  expect(await pass()).toEqual({ erased: 1, kept: 0 });
  expect(await detailsLeft(open)).toEqual({ same: 1 });
});

test('how long the oldest has been due, but for what must be kept', async () => {
  const { retention } = open.ledger;
  await keeping('reserve-seat', 10);
  expect(await retention.overdueSeconds()).toBe(0);
  const [done, unknown] = [await confirmed(), new Story(open)];
  await unknown.claim();
  await age(open, 50, [unknown.subject]);
  await age(open, 9, [done.subject]);
  expect(await retention.overdueSeconds()).toBe(0);
  await age(open, 3, [done.subject]);
  expect(Math.round((await retention.overdueSeconds()) / 86_400)).toBe(2);
  await pass();
  expect(await retention.overdueSeconds()).toBe(0);
});
