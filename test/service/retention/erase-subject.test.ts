import { eraseSubject, type SubjectErasure } from '../../../ledger-service/src/store/erase-subject';
import { DETAILS, Story } from '../domain/story';
import { openLedger, type OpenLedger } from '../store/open-ledger';
import { age, detailsLeft, tombstones } from './aged-details';

let open: OpenLedger;
beforeEach(async () => {
  open = await openLedger();
});
afterEach(() => open.close());

const erase = (subject: string, more: Partial<SubjectErasure> = {}): ReturnType<typeof eraseSubject> =>
  eraseSubject(open.ledger.database, {
    workspaceNo: open.workspaceNo,
    account: 'default',
    subject,
    alsoUndecided: false,
    dryRun: false,
    ...more,
  });

async function act(
  key: { subject: string; operation: string; account?: string; version?: number },
  outcome: 'confirmed' | 'unknown' = 'confirmed',
  workspaceNo = open.workspaceNo,
): Promise<void> {
  const [answer] = await open.ledger.claim(workspaceNo, { claims: [{ ...key, details: DETAILS }] });
  const { claimToken } = answer as { claimToken: string };
  await open.ledger.receipts(workspaceNo, [{ claimToken, outcome, evidence: { status: 201 } }]);
}

test('all actions of one subject, and of nobody else', async () => {
  const elsewhere = await open.workspace('elsewhere');
  await act({ subject: 'ada', operation: 'reserve-seat' });
  await act({ subject: 'ada', operation: 'charge' });
  await act({ subject: 'ada', operation: 'charge', version: 2 });
  await act({ subject: 'grace', operation: 'charge' });
  await act({ subject: 'ada', operation: 'charge' }, 'confirmed', elsewhere);
  await act({ subject: 'ada', operation: 'charge', account: 'shop-2' });
  const before = await tombstones(open);
  const erased = await erase('ada');
  expect(erased.map(({ key, erased: count, kept }) => [key.operation, key.version, count, kept]).sort()).toEqual([
    ['charge', 1, 2, 0],
    ['charge', 2, 2, 0],
    ['reserve-seat', 1, 2, 0],
  ]);
  expect(await detailsLeft(open)).toEqual({ grace: 2, ada: 4 });
  expect(await tombstones(open)).toBe(before);
  const [answer] = await open.ledger.claim(open.workspaceNo, { claims: [{ subject: 'ada', operation: 'charge' }] });
  expect(answer).toMatchObject({ decision: 'already_done' });
});

test('a dry run counts and erases nothing', async () => {
  await act({ subject: 'ada', operation: 'charge' });
  await act({ subject: 'ada', operation: 'reserve-seat' }, 'unknown');
  const counts = async (dryRun: boolean, alsoUndecided = false) =>
    (await erase('ada', { dryRun, alsoUndecided })).map(({ key, state, erased, kept }) => ({
      operation: key.operation,
      state,
      erased,
      kept,
    }));
  const byName = (a: { operation: string }, b: { operation: string }) => a.operation.localeCompare(b.operation);
  const expected = [
    { operation: 'charge', state: 'confirmed', erased: 2, kept: 0 },
    { operation: 'reserve-seat', state: 'unknown', erased: 0, kept: 2 },
  ];
  expect((await counts(true)).sort(byName)).toEqual(expected);
  expect((await counts(true, true)).sort(byName)[1]).toMatchObject({ erased: 2, kept: 0 });
  expect(await detailsLeft(open)).toEqual({ ada: 4 });
  expect((await counts(false)).sort(byName)).toEqual(expected);
  expect(await detailsLeft(open)).toEqual({ ada: 2 });
  expect((await counts(false, true)).sort(byName)[1]).toMatchObject({ erased: 2, kept: 0 });
  expect(await detailsLeft(open)).toEqual({});
});

test('nothing of a subject that there is not', async () => {
  await act({ subject: 'ada', operation: 'charge' });
  expect(await erase('ad')).toEqual([]);
  expect(await erase('ada', { account: 'shop-2' })).toEqual([]);
  expect(await detailsLeft(open)).toEqual({ ada: 2 });
});

test('more actions than are looked at together, and more details than one transaction erases', async () => {
  const answers = await open.ledger.claim(open.workspaceNo, {
    claims: Array.from({ length: 450 }, (_, index) => ({
      subject: 'much',
      operation: 'charge',
      version: index + 1,
      details: DETAILS,
    })),
  });
  const tokens = answers.map((answer) => (answer as { claimToken: string }).claimToken);
  for (const outcome of ['unknown', 'confirmed'] as const) {
    await open.ledger.receipts(
      open.workspaceNo,
      tokens.map((claimToken) => ({ claimToken, outcome, evidence: { outcome } })),
    );
  }
  const erased = await erase('much');
  expect(erased).toHaveLength(450);
  expect(erased.every(({ erased: count, kept }) => count === 3 && kept === 0)).toBe(true);
  expect(await detailsLeft(open)).toEqual({});
});

test('beside the retention and a second erasure of the same subject: all is erased, and nobody fails', async () => {
  await open.configure('reserve-seat', { detailsRetentionDays: 1 });
  const stories = Array.from({ length: 10 }, () => new Story(open));
  for (const { subject } of stories) await act({ subject, operation: 'reserve-seat' });
  await age(open, 2);
  const [operation] = await open.ledger.retention.operations();
  const { retention } = open.another();
  await Promise.all(
    stories.flatMap(({ subject }) => [erase(subject), erase(subject), retention.erasePage(operation!, 3)]),
  );
  expect(await detailsLeft(open)).toEqual({});
});
