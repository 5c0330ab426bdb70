import { ledgerForFile } from './ledger-for-file';

const file = ledgerForFile();

beforeAll(async () => {
  await file.open.configure('twice', { maxAttempts: 2 });
  await file.open.configure('charge-twice', {
    maxAttempts: 2,
    safeRepeat: true,
    destinationIdempotency: 'key',
    destinationWindowSeconds: 3600,
  });
});

test('after as many failed receipts as allowed it stays failed', async () => {
  const story = file.story('twice');
  await story.claim();
  await story.receipt('failed');
  await story.claim();
  await story.receipt('failed');
  expect(await story.ask()).toMatchObject({ decision: 'failed', state: 'failed', attempt: 2, claimToken: null });
});

test('a released attempt does not count', async () => {
  const story = file.story('twice');
  for (let round = 0; round < 4; round++) {
    await story.claim();
    await story.release();
  }
  await story.claim();
  await story.receipt('failed');
  expect(await story.ask()).toMatchObject({ decision: 'proceed', attempt: 6 });
});

test('a reconciliation as not happened does not count', async () => {
  const story = file.story('twice');
  for (let round = 0; round < 3; round++) {
    await story.claim();
    await story.crash();
    await story.resolve('not_happened');
  }
  expect((await story.ask()).decision).toBe('proceed');
});

test('a repeat that was refused counts', async () => {
  const story = file.story('charge-twice');
  await story.claim();
  await story.crash();
  await story.claim();
  expect((await story.receipt('failed')).state).toBe('unknown');
  await story.resolve('not_happened');
  await story.claim();
  expect((await story.receipt('failed')).state).toBe('failed');
  expect((await story.ask()).decision).toBe('failed');
});

test('the same failed receipt sent twice counts once', async () => {
  const story = file.story('twice');
  await story.claim();
  await story.receipt('failed', { evidence: { status: 402 } });
  await story.receipt('failed', { evidence: { status: 402 } });
  await story.receipt('failed', { evidence: { status: 409 } });
  expect((await story.ask()).decision).toBe('proceed');
});

test('more attempts allowed later reopen it', async () => {
  await file.open.configure('raised', { maxAttempts: 1 });
  const story = file.story('raised');
  await story.claim();
  await story.receipt('failed');
  expect((await story.ask()).decision).toBe('failed');
  const { revision } = (await file.open.ledger.operations.find({
    workspaceNo: file.open.workspaceNo,
    name: 'raised',
  }))!;
  expect(revision).toBeGreaterThan(1);
  await file.open.configure('raised', { maxAttempts: 2 });
  expect((await story.ask()).decision).toBe('proceed');
});

test('an operation that allows no other attempt after a failure allows none after a reconciliation either', async () => {
  const story = file.story('charge-never-again');
  await story.claim();
  await story.crash();
  await story.resolve('not_happened');
  expect((await story.ask()).decision).toBe('failed');
});
