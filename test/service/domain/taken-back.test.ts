import { ledgerForFile } from './ledger-for-file';
import { type Story } from './story';

// What was said of an attempt is taken back: nothing may be repeated on the strength of what no longer holds.

const file = ledgerForFile();

/** Attempt 1 was reconciled as not happened and confirmed after all while attempt 2 held the lease; then overridden. */
async function overriddenAfterTwo(): Promise<Story> {
  const story = file.story();
  await story.claim();
  const first = story.current;
  await story.receipt('unknown');
  await story.resolve('not_happened', { reason: 'nothing found' });
  await story.claim();
  await story.receipt('confirmed', { attempt: first, reference: 'RSV-1' });
  await story.receipt('unknown');
  await story.override();
  return story;
}

test('after an override, that the later attempt failed does not free the action of the earlier one', async () => {
  const story = await overriddenAfterTwo();
  expect(await story.receipt('failed')).toMatchObject({ state: 'unknown' });
  expect((await story.ask()).decision).toBe('unknown');
});

test('after an override, that the later attempt was not sent does not either', async () => {
  const story = await overriddenAfterTwo();
  expect(await story.release()).toMatchObject({ result: 'released', state: 'unknown' });
  expect((await story.ask()).decision).toBe('unknown');
});

test('an attempt that was confirmed cannot be *not sent*, not even after an override', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('confirmed', { reference: 'RSV-1' });
  await story.override();
  expect(await story.release()).toMatchObject({ result: 'not_applicable', state: 'unknown' });
});

test('unknown, failed, unknown: the last word is not taken for a repetition of the first', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('unknown');
  await story.receipt('failed');
  expect(await story.receipt('unknown')).toMatchObject({
    state: 'unknown',
    replayed: false,
    contradiction: 'unknown_after_failed',
  });
  expect((await story.ask()).decision).toBe('unknown');
});

test('failed, unknown, failed: the repetition of the first does not free the action', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('failed');
  await story.receipt('unknown');
  expect(await story.receipt('failed')).toMatchObject({ state: 'unknown', replayed: true });
});

test('an older attempt takes its failure back: the newer one’s failure does not free the action', async () => {
  const story = file.story();
  await story.claim();
  const first = story.current;
  await story.receipt('failed');
  await story.claim();
  expect(await story.receipt('unknown', { attempt: first })).toMatchObject({
    result: 'superseded',
    contradiction: 'unknown_after_failed',
  });
  expect(await story.receipt('failed')).toMatchObject({ state: 'unknown' });
});

test('a released attempt may have been sent after all: the next one’s failure keeps the key and the action', async () => {
  const story = file.story();
  await story.claim();
  const first = story.current;
  await story.release();
  expect(await story.receipt('unknown', { attempt: first })).toMatchObject({
    state: 'pending',
    contradiction: 'unknown_after_released',
  });
  await story.claim();
  expect(story.current.idempotencyKey).toBe(first.idempotencyKey);
  expect(await story.receipt('failed')).toMatchObject({ state: 'unknown' });
});
