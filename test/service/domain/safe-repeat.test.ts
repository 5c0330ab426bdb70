import { setTimeout as sleep } from 'node:timers/promises';

import { type ClaimAnswer } from '../../../ledger-service/src/domain/answers';
import { type ClaimRequest } from '../../../ledger-service/src/domain/requests';
import { ledgerForFile } from './ledger-for-file';
import { DETAILS, type Story } from './story';

const file = ledgerForFile();

const REPEATABLE = { safeRepeat: true, destinationIdempotency: 'key', destinationWindowSeconds: 86_400 } as const;

/** A claim that meets every condition; each test takes one away. */
const repeat = (story: Story, without: Partial<ClaimRequest> = {}): Promise<ClaimAnswer> =>
  story.ask({ details: DETAILS, holder: { ...story.holder('again'), sendsIdempotencyKey: true }, ...without });

const unknown = async (operation = 'charge', claim: Partial<ClaimRequest> = {}): Promise<Story> => {
  const story = file.story(operation);
  await story.claim(claim);
  await story.receipt('unknown');
  return story;
};

const refuses = async (story: Story, without: Partial<ClaimRequest> = {}): Promise<void> => {
  const before = await story.stored();
  expect(await repeat(story, without)).toMatchObject({ decision: 'unknown', claimToken: null, repeat: false });
  expect(await story.stored()).toEqual(before);
};

test('all conditions met: another attempt under the same idempotency key', async () => {
  const story = await unknown();
  const answer = await repeat(story);
  expect(answer).toMatchObject({ decision: 'proceed', repeat: true, attempt: 2, state: 'in_progress' });
  expect(answer.idempotencyKey).toBe(story.current.idempotencyKey);
});

test('without the policy', async () => {
  await file.open.configure('charge-unsafe', { ...REPEATABLE, safeRepeat: false });
  await refuses(await unknown('charge-unsafe'));
});

test('with the policy turned on only after the first attempt was claimed', async () => {
  await file.open.configure('charge-later', { ...REPEATABLE, safeRepeat: false });
  const story = await unknown('charge-later');
  await file.open.configure('charge-later', REPEATABLE);
  await refuses(story);
});

test('with the policy turned off since: what an operator switches off stays off', async () => {
  await file.open.configure('charge-off', REPEATABLE);
  const story = await unknown('charge-off');
  await file.open.configure('charge-off', { safeRepeat: false });
  await refuses(story);
});

test('when the holder does not declare that it sends the key', async () => {
  const story = await unknown();
  await refuses(story, { holder: story.holder('again') });
  await refuses(story, { holder: undefined });
});

test('when the holder of the first attempt did not declare it', async () => {
  const story = file.story('charge');
  await story.claim({ holder: { kind: 'n8n' } });
  await story.receipt('unknown');
  await refuses(story);
});

test('when any attempt under the key was sent without declaring it', async () => {
  const story = file.story('charge');
  await story.claim();
  await story.receipt('unknown');
  await story.resolve('not_happened');
  // The same key, since a paused holder of the first attempt may still send under it.
  await story.claim({ holder: { kind: 'n8n' } });
  await story.receipt('unknown');
  await refuses(story);
});

test('when an attempt was sent without the key after one that was released', async () => {
  const story = file.story('charge');
  await story.claim();
  await story.release();
  await story.claim({ holder: { kind: 'n8n' } });
  await story.receipt('unknown');
  await refuses(story);
});

test('without details', async () => refuses(await unknown(), { details: undefined }));

test('with other details it is a mismatch', async () => {
  expect((await repeat(await unknown(), { details: { amount: 1 } })).decision).toBe('mismatch');
});

test('when the first attempt had no details to compare with: they are stored now, and prove nothing', async () => {
  const story = await unknown('charge', { details: undefined });
  expect((await repeat(story)).decision).toBe('unknown');
  await refuses(story);
});

/** The window is counted from the first claim under the key, less the lease and a tenth. */
test('when the lease would not fit before nine tenths of the window', async () => {
  await file.open.configure('charge-short', { ...REPEATABLE, destinationWindowSeconds: 100 });
  const story = await unknown('charge-short');
  await refuses(story, { leaseSeconds: 91 });
  await refuses(story, { leaseSeconds: 90 });
  const answer = await repeat(story, { leaseSeconds: 80 });
  expect(answer).toMatchObject({ decision: 'proceed', repeat: true, leaseMs: 80_000 });
});

test('the window runs on: what was safe a moment ago is refused', async () => {
  await file.open.configure('charge-quick', { ...REPEATABLE, destinationWindowSeconds: 3, leaseSeconds: 1 });
  const first = await unknown('charge-quick');
  const second = await unknown('charge-quick');
  expect((await repeat(first)).decision).toBe('proceed');
  await sleep(1_800);
  await refuses(second);
});

test('the window counts as it was when the first attempt was claimed', async () => {
  await file.open.configure('charge-widened', { ...REPEATABLE, destinationWindowSeconds: 100 });
  const story = await unknown('charge-widened');
  await file.open.configure('charge-widened', { destinationWindowSeconds: 86_400 });
  await refuses(story, { leaseSeconds: 200 });
  expect((await repeat(await unknown('charge-widened'), { leaseSeconds: 200 })).decision).toBe('proceed');
});

test('a new key begins a new window', async () => {
  await file.open.configure('charge-rotated', { ...REPEATABLE, destinationWindowSeconds: 100 });
  const story = file.story('charge-rotated');
  await story.claim();
  await story.receipt('failed');
  await file.open.configure('charge-rotated', { destinationWindowSeconds: 86_400 });
  await story.claim();
  await story.receipt('unknown');
  const answer = await repeat(story, { leaseSeconds: 200 });
  expect(answer).toMatchObject({ decision: 'proceed', repeat: true });
  expect(answer.idempotencyKey).toBe(story.current.idempotencyKey);
});

test('a hundred at once: one repeats', async () => {
  const story = await unknown();
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      repeat(story, { holder: { ...story.holder(`again-${index}`), sendsIdempotencyKey: true } }),
    ),
  );
  expect(answers.filter(({ decision }) => decision === 'proceed')).toHaveLength(1);
  expect(answers.filter(({ decision }) => decision === 'in_progress')).toHaveLength(99);
});
