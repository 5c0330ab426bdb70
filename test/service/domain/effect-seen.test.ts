import { exceptRevision } from '../store/stored-action';
import { ledgerForFile } from './ledger-for-file';
import { type Story } from './story';

const file = ledgerForFile();

/** Attempt 2 is under way when attempt 1 turns out to have had its effect. */
const seen = async (lease: { leaseSeconds?: number } = {}): Promise<Story> => {
  const story = file.story('charge');
  await story.claim();
  await story.crash();
  await story.claim(lease);
  await story.receipt('confirmed', { attempt: story.attempts[0]!, reference: 'CH-1' });
  return story;
};

const isConfirmedByTheFirst = async (story: Story): Promise<void> => {
  expect(await story.ask()).toMatchObject({
    decision: 'already_done',
    receipt: { reference: 'CH-1', references: ['CH-1'], attempt: 1 },
  });
  expect((await story.stored())?.contradictions).toContain('older_attempt_confirmed');
};

test('while the newer attempt is under way, nobody else may proceed and it is told that its lease is lost', async () => {
  const story = await seen();
  expect((await story.ask()).decision).toBe('in_progress');
  expect((await story.heartbeat()).result).toBe('lost');
});

test.each([
  ['a failed receipt', (story: Story) => story.receipt('failed')],
  ['an unknown receipt', (story: Story) => story.receipt('unknown')],
  ['a release', (story: Story) => story.release()],
  ['a crash', (story: Story) => story.crash()],
])('%s of the newer attempt leads to confirmed', async (_what, end) => {
  const story = await seen();
  await end(story);
  await isConfirmedByTheFirst(story);
});

test('the end of its lease leads to confirmed, by the next claim and by a sweep', async () => {
  const [claimed, swept] = await Promise.all([seen({ leaseSeconds: 1 }), seen({ leaseSeconds: 1 })]);
  await claimed.leaseOver();
  await isConfirmedByTheFirst(claimed);
  expect(await file.open.ledger.sweep()).toBe(1);
  expect((await swept.stored())?.state).toBe('confirmed');
  await isConfirmedByTheFirst(swept);
});

test('a confirmed receipt of the newer attempt under the same reference is one effect', async () => {
  const story = await seen();
  expect(await story.receipt('confirmed', { reference: 'CH-1' })).toMatchObject({
    result: 'recorded',
    state: 'confirmed',
    contradiction: null,
  });
  await isConfirmedByTheFirst(story);
});

test('under another reference it is two, and both references are kept', async () => {
  const story = await seen();
  await story.receipt('confirmed', { reference: 'CH-2' });
  const stored = await story.stored();
  expect(stored?.references).toEqual(['CH-1', 'CH-2']);
  expect(stored?.contradictions).toEqual(expect.arrayContaining(['older_attempt_confirmed', 'two_effects']));
});

test('the older attempt’s receipt again is a replay and changes nothing', async () => {
  const story = await seen();
  const before = await story.stored();
  const again = await story.receipt('confirmed', { attempt: story.attempts[0]!, reference: 'CH-1' });
  expect(again).toMatchObject({ result: 'recorded', replayed: true, state: 'in_progress' });
  expect(exceptRevision(await story.stored())).toEqual(exceptRevision(before));
});

test('the seen effect is over with the attempt: an override does not bring it back', async () => {
  const story = await seen();
  await story.receipt('failed');
  await story.override();
  await story.resolve('not_happened');
  await story.claim();
  expect((await story.heartbeat()).result).toBe('extended');
  await story.receipt('failed');
  expect((await story.stored())?.state).toBe('failed');
});
