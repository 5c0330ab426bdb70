import { sound } from './story';
import { ledgerForFile } from './ledger-for-file';

const file = ledgerForFile();

test('details that are absent are no mismatch, on either side', async () => {
  const story = file.story();
  await story.claim({ details: { amount: 1 } });
  expect((await story.ask()).decision).toBe('in_progress');
  const bare = file.story();
  await bare.claim({ details: undefined });
  expect((await bare.ask()).decision).toBe('in_progress');
});

test('the order of members is no mismatch, any other value is', async () => {
  const story = file.story();
  await story.claim({ details: { amount: 1, seat: { row: 2, no: 3 } } });
  expect((await story.ask({ details: { seat: { no: 3, row: 2 }, amount: 1.0 } })).decision).toBe('in_progress');
  expect((await story.ask({ details: { seat: { no: 3, row: 2 }, amount: '1' } })).decision).toBe('mismatch');
});

test('details that come first with a later claim are stored then, and bind from then on', async () => {
  const story = file.story();
  await story.claim({ details: undefined });
  expect((await story.ask({ details: { amount: 1 } })).decision).toBe('in_progress');
  const stored = await story.stored();
  expect(stored?.history).toMatchObject([
    { kind: 'claimed' },
    { kind: 'details_recorded', from: 'in_progress', to: 'in_progress', details: { amount: 1 } },
  ]);
  expect((await story.ask({ details: { amount: 2 } })).decision).toBe('mismatch');
  expect(await story.stored()).toEqual(stored);
});

test('details that come first with a claim that is granted are part of its entry', async () => {
  const story = file.story();
  await story.claim({ details: undefined });
  await story.release();
  await story.claim({ details: { amount: 1 } });
  expect((await story.stored())?.history.at(-1)).toMatchObject({ kind: 'claimed', details: { amount: 1 } });
  expect((await story.ask({ details: { amount: 2 } })).decision).toBe('mismatch');
});

test('details that come first when it is all over are stored too', async () => {
  const story = file.story();
  await story.claim({ details: undefined });
  await story.receipt('confirmed', { reference: 'RSV-1' });
  expect((await story.ask({ details: { amount: 1 } })).decision).toBe('already_done');
  expect((await story.ask({ details: { amount: 2 } })).decision).toBe('mismatch');
});

test('details that come first with a registration of what is there are stored too', async () => {
  const story = file.story();
  const { ledger, workspaceNo } = file.open;
  const register = async (details?: unknown) =>
    sound((await ledger.register(workspaceNo, [{ ...story.key, details }]))[0]).decision;
  expect(await register()).toBe('registered');
  expect(await register({ amount: 1 })).toBe('exists');
  expect(await register({ amount: 2 })).toBe('mismatch');
  expect((await story.ask({ details: { amount: 2 } })).decision).toBe('mismatch');
  expect((await story.ask({ details: { amount: 1 } })).decision).toBe('proceed');
});

test('a claim that is refused as stale leaves no details', async () => {
  const story = file.story();
  await story.claim({ details: undefined, subjectVersion: { value: 9 } });
  await story.release();
  expect((await story.ask({ details: { amount: 1 }, subjectVersion: { value: 1 } })).decision).toBe('stale');
  expect((await story.ask({ details: { amount: 2 } })).decision).toBe('proceed');
});

test('two first details at once: one is stored, the other is a mismatch', async () => {
  const story = file.story();
  await story.claim({ details: undefined });
  const answers = await Promise.all(Array.from({ length: 10 }, (_, amount) => story.ask({ details: { amount } })));
  expect(answers.filter(({ decision }) => decision === 'in_progress')).toHaveLength(1);
  expect(answers.filter(({ decision }) => decision === 'mismatch')).toHaveLength(9);
});

test('integers that would have been rounded are refused, and nothing is claimed', async () => {
  const story = file.story();
  await expect(story.ask({ details: { id: 2 ** 53 } })).rejects.toMatchObject({
    code: 'invalid_details',
    field: 'details.id',
  });
  expect((await story.ask()).attempt).toBe(1);
});
