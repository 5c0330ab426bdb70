import { Problem } from '../../../ledger-service/src/domain/problem';
import { type ClaimRequest } from '../../../ledger-service/src/domain/requests';
import { type Story } from './story';
import { ledgerForFile } from './ledger-for-file';

const file = ledgerForFile();

/** Several actions of one subject: each version of the action is a key of its own, in the stream that is named. */
let next = 0;
const about = (story: Story, subjectVersion: ClaimRequest['subjectVersion'], more: Partial<ClaimRequest> = {}) =>
  story.ask({ version: ++next, subjectVersion, ...more });

const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

test('an older sequence number is stale, with the newer one’s facts; an equal one is not', async () => {
  const story = file.story();
  expect((await about(story, { stream: 'order', value: 17 })).decision).toBe('proceed');
  expect((await about(story, { stream: 'order', value: 17 })).decision).toBe('proceed');
  expect(await about(story, { stream: 'order', value: 16 })).toMatchObject({
    decision: 'stale',
    state: null,
    newer: { stream: 'order', value: 17 },
  });
  expect((await about(story, { stream: 'order', value: 18 })).decision).toBe('proceed');
});

test('zero and negative numbers are versions too', async () => {
  const story = file.story();
  await about(story, { value: -5 });
  expect((await about(story, { value: -6 })).decision).toBe('stale');
  expect((await about(story, { value: 0 })).decision).toBe('proceed');
  expect((await about(story, { value: -1 })).decision).toBe('stale');
});

test('an older event time is stale, with the newer time; an equal one is not', async () => {
  const story = file.story();
  await about(story, { occurredAt: '2026-10-20T10:00:00Z' });
  expect((await about(story, { occurredAt: '2026-10-20T12:00:00+02:00' })).decision).toBe('proceed');
  expect(await about(story, { occurredAt: '2026-10-20T09:59:59.999Z' })).toMatchObject({
    decision: 'stale',
    newer: { stream: 'reserve-seat', occurredAt: '2026-10-20T10:00:00.000Z' },
  });
});

test('the stream is the operation’s own unless one is named; accounts and subjects are apart', async () => {
  const story = file.story();
  await about(story, { value: 9 });
  expect((await about(story, { value: 1 }, { operation: 'cancel-seat' })).decision).toBe('proceed');
  expect((await about(story, { value: 1 }, { account: 'shop-2' })).decision).toBe('proceed');
  expect((await about(file.story(), { value: 1 })).decision).toBe('proceed');
  await about(story, { stream: 'order', value: 9 }, { operation: 'cancel-seat' });
  expect((await about(story, { stream: 'order', value: 1 })).decision).toBe('stale');
});

test('a stream that is named like an operation is not that operation’s own', async () => {
  const story = file.story();
  await about(story, { value: 9 });
  expect((await about(story, { stream: 'reserve-seat', value: 1 })).decision).toBe('proceed');
});

test('mixing sequence and time in one stream is refused, and nothing is claimed', async () => {
  const story = file.story();
  await about(story, { value: 9 });
  const mixed = about(story, { occurredAt: '2026-10-20T10:00:00Z' });
  await expect(mixed).rejects.toMatchObject({ code: 'subject_version_mixed', status: 409, field: 'subjectVersion' });
  const other = file.story();
  await about(other, { occurredAt: '2026-10-20T10:00:00Z' });
  await expect(about(other, { value: 9 })).rejects.toMatchObject({ code: 'subject_version_mixed' });
  const { rows } = await file.open.sql.query('SELECT FROM action_ledger.actions WHERE subject = ANY($1)', [
    [story.subject, other.subject],
  ]);
  expect(rows).toHaveLength(2);
});

test('a time more than ten minutes ahead is not stored; up to ten minutes it is', async () => {
  const story = file.story();
  expect((await about(story, { occurredAt: inMinutes(11) })).decision).toBe('proceed');
  expect((await about(story, { occurredAt: inMinutes(0) })).decision).toBe('proceed');
  expect((await about(story, { occurredAt: inMinutes(9) })).decision).toBe('proceed');
  expect((await about(story, { occurredAt: inMinutes(8) })).decision).toBe('stale');
});

test('several versions of one subject in one batch are aggregated first', async () => {
  const story = file.story();
  const { ledger, workspaceNo } = file.open;
  const values = [3, 1, 9, 9, 2, 7];
  const answers = await ledger.claim(workspaceNo, {
    claims: values.map((value, index) => ({
      ...story.key,
      version: index + 1,
      subjectVersion: { stream: 'order', value },
    })),
  });
  const decisions = answers.map((answer) => (answer instanceof Problem ? answer.code : answer.decision));
  expect(decisions).toEqual(['stale', 'stale', 'proceed', 'proceed', 'stale', 'stale']);
});

test('sequence and time mixed in one batch: one kind is taken, the other is refused', async () => {
  const story = file.story();
  const { ledger, workspaceNo } = file.open;
  const answers = await ledger.claim(workspaceNo, {
    claims: [
      { ...story.key, version: 1, subjectVersion: { stream: 'order', value: 3 } },
      { ...story.key, version: 2, subjectVersion: { stream: 'order', occurredAt: '2026-10-20T10:00:00Z' } },
      { ...story.key, version: 3 },
    ],
  });
  const said = answers.map((answer) => (answer instanceof Problem ? answer.code : answer.decision));
  expect([...said].sort()).toEqual(['proceed', 'proceed', 'subject_version_mixed']);
  expect(said[2]).toBe('proceed');
});

test('racing versions: whatever is granted is at the end not older than what was seen before it', async () => {
  const story = file.story();
  const others = [file.open.ledger, file.open.another()];
  const values = Array.from({ length: 40 }, (_, index) => (index * 17) % 40);
  await Promise.all(
    values.map(async (value, index) => {
      const [answer] = await others[index % 2]!.claim(file.open.workspaceNo, {
        claims: [{ ...story.key, version: 1_000 + index, subjectVersion: { stream: 'race', value } }],
      });
      expect(answer).toMatchObject({ decision: expect.stringMatching(/^(proceed|stale)$/) });
      if (value === 39) expect(answer).toMatchObject({ decision: 'proceed' });
    }),
  );
  expect(await about(story, { stream: 'race', value: 38 })).toMatchObject({ decision: 'stale', newer: { value: 39 } });
});

test.each([
  ['both kinds', { value: 1, occurredAt: '2026-10-20T10:00:00Z' }, 'subjectVersion'],
  ['neither kind', { stream: 'order' }, 'subjectVersion'],
  ['a fraction', { value: 1.5 }, 'subjectVersion.value'],
  ['beyond 2^53', { value: 2 ** 53 }, 'subjectVersion.value'],
  ['a time without a zone', { occurredAt: '2026-10-20T10:00:00' }, 'subjectVersion.occurredAt'],
  ['a day that does not exist', { occurredAt: '2026-02-30T10:00:00Z' }, 'subjectVersion.occurredAt'],
  ['an empty stream', { stream: ' ', value: 1 }, 'subjectVersion.stream'],
])('refuses %s, naming the field', async (_what, subjectVersion, field) => {
  await expect(file.story().ask({ subjectVersion })).rejects.toMatchObject({ field, status: 400 });
});
