import { ledgerForFile } from './ledger-for-file';
import { type Story } from './story';

const file = ledgerForFile();

const overridden = async (): Promise<Story> => {
  const story = file.story();
  await story.claim();
  await story.receipt('confirmed', { reference: 'RSV-1' });
  await story.override();
  return story;
};

test('needs a reason and two different people', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('confirmed');
  const before = await story.stored();
  const { ledger, workspaceNo } = file.open;
  const request = { ...(await story.fence()), by: 'Ada', secondPerson: 'Grace', reason: 'lost' };
  for (const [field, value] of [
    ['by', ' '],
    ['secondPerson', ''],
    ['secondPerson', 'ada '],
    ['reason', '\n'],
  ] as const) {
    const refused = ledger.override(workspaceNo, story.id, { ...request, [field]: value });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request', field });
  }
  expect(await story.stored()).toEqual(before);
});

test('leaves an action that is not repeated, not even where a repeat would be safe', async () => {
  const story = await overridden();
  expect(await story.ask()).toMatchObject({ decision: 'unknown', unknown: { cause: 'overridden' }, receipt: null });
});

test('a new receipt afterwards confirms again', async () => {
  const story = await overridden();
  expect(await story.receipt('confirmed', { reference: 'RSV-2' })).toMatchObject({
    result: 'recorded',
    state: 'confirmed',
    replayed: false,
  });
  expect((await story.stored())?.references).toContain('RSV-2');
});

test('the receipt that was overridden, sent again, does not', async () => {
  const story = await overridden();
  expect(await story.receipt('confirmed', { reference: 'RSV-1' })).toMatchObject({
    result: 'recorded',
    replayed: true,
    state: 'unknown',
  });
  expect((await story.ask()).decision).toBe('unknown');
});

test('a failed receipt afterwards ends it as failed', async () => {
  const story = await overridden();
  expect((await story.receipt('failed')).state).toBe('failed');
});

test('a holder who had confirmed it cannot free it by saying that it was never sent', async () => {
  const story = await overridden();
  expect(await story.release()).toMatchObject({ result: 'not_applicable', state: 'unknown' });
});

test('can be reconciled either way', async () => {
  const [happened, not] = await Promise.all([overridden(), overridden()]);
  await happened.resolve('happened', { reference: 'RSV-9' });
  expect((await happened.ask()).decision).toBe('already_done');
  await not.resolve('not_happened');
  expect((await not.ask()).decision).toBe('proceed');
});

test('earlier attempts may have had their effect after all: a failed receipt of the last one proves nothing of them', async () => {
  const story = file.story('charge');
  await story.claim();
  await story.crash();
  await story.claim();
  await story.crash();
  await story.resolve('happened', { reference: 'CH-1' });
  await story.override();
  await story.receipt('failed');
  // Attempt 1 was only resolved by the reconciliation that does not hold any more.
  expect((await story.stored())?.state).toBe('unknown');
});

test('the attempt whose confirmation was taken back is unresolved, also when a later one was claimed since', async () => {
  const story = file.story('charge');
  await story.claim();
  await story.crash();
  await story.resolve('not_happened');
  await story.claim();
  await story.release();
  await story.receipt('confirmed', { attempt: story.attempts[0]!, reference: 'CH-1' });
  await story.override();
  // Attempt 2 was never sent; what is said of it says nothing of attempt 1.
  await story.receipt('failed');
  expect((await story.stored())?.state).toBe('unknown');
});

test('twice: the action can be confirmed and overridden again', async () => {
  const story = await overridden();
  await story.receipt('confirmed', { reference: 'RSV-2' });
  await story.override();
  expect((await story.stored())?.history.map(({ kind }) => kind)).toEqual([
    'claimed',
    'receipt_confirmed',
    'overridden',
    'receipt_confirmed',
    'overridden',
  ]);
});
