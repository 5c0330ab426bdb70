import { ledgerForFile } from './ledger-for-file';
import { type Story } from './story';

const file = ledgerForFile();

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Claims once more and says whether the key is the one before. */
const claimsUnder = async (story: Story): Promise<'same' | 'new'> => {
  const before = story.current.idempotencyKey;
  const { idempotencyKey } = await story.claim();
  return idempotencyKey === before ? 'same' : 'new';
};

test('is a UUID, and each action has its own', async () => {
  const [one, other] = [file.story(), file.story()];
  const keys = [(await one.claim()).idempotencyKey, (await other.claim()).idempotencyKey];
  expect(keys[0]).toMatch(UUID);
  expect(keys[0]).not.toBe(keys[1]);
});

test('changes after a failed receipt of the only attempt that was sent under it', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('failed');
  expect(await claimsUnder(story)).toBe('new');
});

test('stays after not happened: a paused holder may still send', async () => {
  const story = file.story();
  await story.claim();
  await story.crash();
  await story.resolve('not_happened');
  expect(await claimsUnder(story)).toBe('same');
});

test('stays after a failed receipt when another attempt was sent under it', async () => {
  const story = file.story();
  await story.claim();
  await story.crash();
  await story.resolve('not_happened');
  await story.claim();
  await story.receipt('failed');
  expect(await claimsUnder(story)).toBe('same');
});

test('stays after a release, and a released attempt does not count as sent', async () => {
  const story = file.story();
  await story.claim();
  await story.release();
  expect(await claimsUnder(story)).toBe('same');
  await story.receipt('failed');
  expect(await claimsUnder(story)).toBe('new');
});

test('a release after a rotation keeps the new key', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('failed');
  expect(await claimsUnder(story)).toBe('new');
  await story.release();
  expect(await claimsUnder(story)).toBe('same');
  await story.receipt('failed');
  expect(await claimsUnder(story)).toBe('new');
});

test('stays when a failed receipt was contradicted by an unknown one', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('failed');
  await story.receipt('unknown');
  await story.resolve('not_happened');
  expect(await claimsUnder(story)).toBe('same');
});

test('is not changed by an older attempt’s failed receipt', async () => {
  const story = file.story('charge');
  await story.claim();
  await story.crash();
  expect(await claimsUnder(story)).toBe('same');
  await story.receipt('failed', { attempt: story.attempts[0]! });
  await story.receipt('failed');
  expect((await story.stored())?.state).toBe('failed');
  // Two attempts were sent under it; both failed, but it was not the only one.
  expect(await claimsUnder(story)).toBe('same');
});

test('stays after an override and a reconciliation', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('confirmed');
  await story.override();
  await story.resolve('not_happened');
  expect(await claimsUnder(story)).toBe('same');
});

test('changes after a failed receipt that ended an unknown attempt', async () => {
  const story = file.story();
  await story.claim();
  await story.crash();
  await story.receipt('failed');
  expect(await claimsUnder(story)).toBe('new');
});
