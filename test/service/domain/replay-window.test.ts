import { randomUUID } from 'node:crypto';

import { ledgerForFile } from './ledger-for-file';

const file = ledgerForFile();

const event = (agoMs: number | null): { id: string; occurredAt?: string } => ({
  id: randomUUID(),
  ...(agoMs === null ? {} : { occurredAt: new Date(Date.now() - agoMs).toISOString() }),
});
const HOUR_MS = 3_600_000;

beforeAll(() => file.open.configure('dated', { replayWindowDays: 2 }));

test('an event older than the window is too old on a new key, and no action is made', async () => {
  const story = file.story('dated');
  expect(await story.ask({ event: event(48 * HOUR_MS + 60_000) })).toMatchObject({
    decision: 'too_old',
    state: null,
    attempt: null,
    historySeq: null,
    claimToken: null,
  });
  expect(await story.stored()).toBeNull();
});

test('an event within the window proceeds', async () => {
  expect((await file.story('dated').ask({ event: event(48 * HOUR_MS - 60_000) })).decision).toBe('proceed');
});

test.each([
  ['no event', undefined],
  ['an event without its time', event(null)],
])('with a window set, a new key with %s is too old', async (_what, without) => {
  const story = file.story('dated');
  expect((await story.ask({ event: without })).decision).toBe('too_old');
  expect(await story.stored()).toBeNull();
});

test('the time of the subject version counts as the event’s own', async () => {
  const at = (agoMs: number) => ({ occurredAt: new Date(Date.now() - agoMs).toISOString() });
  expect((await file.story('dated').ask({ subjectVersion: at(HOUR_MS) })).decision).toBe('proceed');
  expect((await file.story('dated').ask({ subjectVersion: at(72 * HOUR_MS) })).decision).toBe('too_old');
});

test('the window only refuses new keys: a pending, failed or released action may be claimed by an old event', async () => {
  const pending = file.story('dated');
  await pending.register();
  expect((await pending.ask({ event: event(100 * HOUR_MS) })).decision).toBe('proceed');
  const failed = file.story('dated');
  await failed.claim({ event: event(0) });
  await failed.receipt('failed');
  expect((await failed.ask({ event: event(100 * HOUR_MS) })).decision).toBe('proceed');
});

test('without a window nothing is too old', async () => {
  expect((await file.story().ask({ event: event(10_000 * HOUR_MS) })).decision).toBe('proceed');
  expect((await file.story().ask()).decision).toBe('proceed');
});

test('too old is no transition: a register of the key goes through as if nothing had been', async () => {
  const story = file.story('dated');
  await story.ask({ event: event(100 * HOUR_MS) });
  await story.register();
  expect((await story.stored())?.history).toMatchObject([{ kind: 'registered', from: 'none', to: 'pending' }]);
});
