import { ledgerForFile } from './ledger-for-file';
import { DETAILS, type Story } from './story';

const file = ledgerForFile();

/** Attempt 1 may have had its effect; attempt 2 repeats it under the same idempotency key. */
const repeated = async (): Promise<Story> => {
  const story = file.story('charge');
  await story.claim();
  await story.crash();
  await story.claim();
  return story;
};

test('a repeat that is refused stays unknown', async () => {
  const story = await repeated();
  expect(await story.receipt('failed', { evidence: { status: 409 } })).toMatchObject({
    result: 'recorded',
    state: 'unknown',
  });
  expect(await story.ask()).toMatchObject({ decision: 'unknown', unknown: { cause: 'repeat_refused' } });
  await story.receipt('confirmed', { attempt: story.attempts[0]!, reference: 'CH-1' });
  expect(await story.ask()).toMatchObject({ decision: 'already_done', receipt: { reference: 'CH-1', attempt: 1 } });
});

test('release after a repeat goes back to unknown', async () => {
  const story = await repeated();
  expect(await story.release()).toMatchObject({ result: 'released', state: 'unknown' });
  expect(await story.ask()).toMatchObject({ decision: 'unknown', claimToken: null });
  // Not sent, so it may be repeated once more under the same key.
  const { repeat, attempt, idempotencyKey } = await story.claim();
  expect({ repeat, attempt }).toEqual({ repeat: true, attempt: 3 });
  expect(idempotencyKey).toBe(story.attempts[0]!.idempotencyKey);
});

test('release of a repeat after its lease leaves the first attempt unresolved: its failure ends it, nothing else', async () => {
  const story = await repeated();
  await story.release();
  expect((await story.receipt('failed', { attempt: story.attempts[0]! })).state).toBe('unknown');
});

test('an old attempt’s token frees nothing', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('failed');
  await story.claim();
  const [old] = story.attempts;
  expect(await story.release(old)).toMatchObject({ result: 'not_applicable', state: 'in_progress', attempt: 2 });
  expect(await story.heartbeat(old)).toMatchObject({ result: 'lost' });
  await story.receipt('unknown', { attempt: old! });
  expect((await story.ask()).decision).toBe('in_progress');
  expect((await story.heartbeat()).result).toBe('extended');
});

test('a resolution from a stale page is refused', async () => {
  const story = file.story();
  await story.claim();
  await story.crash();
  const page = await story.fence();
  // Meanwhile the receipt came after all, and someone took the confirmation back.
  await story.receipt('confirmed', { reference: 'RSV-1' });
  await story.override();
  const stale = story.resolve('not_happened', page);
  await expect(stale).rejects.toMatchObject({ code: 'stale_resolution', status: 409 });
  expect((await story.ask()).decision).toBe('unknown');
});

test('a confirmed receipt of an old attempt is never lost', async () => {
  const story = file.story();
  await story.claim();
  await story.crash();
  await story.resolve('not_happened');
  for (let round = 0; round < 3; round++) {
    await story.claim();
    await story.receipt('failed');
  }
  await story.claim();
  const late = await story.receipt('confirmed', { attempt: story.attempts[0]!, reference: 'RSV-1' });
  expect(late).toMatchObject({ result: 'recorded', late: true, state: 'in_progress' });
  await story.receipt('failed');
  expect(await story.ask()).toMatchObject({ decision: 'already_done', receipt: { reference: 'RSV-1', attempt: 1 } });
});

test('a confirmed receipt of an old attempt is not lost either when the newer lease is over and nobody has noticed', async () => {
  const story = file.story();
  await story.claim();
  await story.crash();
  await story.resolve('not_happened');
  await story.claim({ leaseSeconds: 1 });
  await story.leaseOver();
  const late = await story.receipt('confirmed', { attempt: story.attempts[0]!, reference: 'RSV-1' });
  expect(late).toMatchObject({ result: 'recorded', late: true });
  expect((await story.ask()).decision).toBe('already_done');
});

test('an answer that was lost is repeated to the same call and position only', async () => {
  const story = file.story();
  const granted = await story.claim();
  const { requestToken } = story.current;
  const again = await story.ask({ details: DETAILS }, { requestToken });
  expect(again).toEqual({ ...granted, replayed: true, reason: again.reason });
  const elsewhere = await story.ask({}, { requestToken, position: 1 });
  expect(elsewhere).toMatchObject({ decision: 'in_progress', claimToken: null, idempotencyKey: null });
  const another = await story.ask({});
  expect(another).toMatchObject({ decision: 'in_progress', claimToken: null, idempotencyKey: null });
  const sameExecution = await story.ask({ holder: story.holder(story.current.executionId) });
  expect(sameExecution).toMatchObject({ decision: 'in_progress', claimToken: null });
});

test('and only while the lease lives', async () => {
  const story = file.story();
  await story.claim({ leaseSeconds: 1 });
  await story.leaseOver();
  const again = await story.ask({}, { requestToken: story.current.requestToken });
  expect(again).toMatchObject({ decision: 'unknown', claimToken: null, replayed: false });
});

test('and only in the workspace that made the call', async () => {
  const story = file.story();
  await story.claim();
  const elsewhere = await file.open.workspace('another');
  const [answer] = await file.open.ledger.claim(elsewhere, {
    requestToken: story.current.requestToken,
    claims: [story.key],
  });
  expect(answer).toMatchObject({ decision: 'proceed', replayed: false, attempt: 1 });
  expect(answer).not.toMatchObject({ claimToken: story.current.claimToken });
});
