import { ledgerForFile } from './ledger-for-file';

// Found by the reference model: an attempt that was thought not to have been sent, or to have failed, is heard of again.
// Whatever was built on that falls with it: the idempotency key stays, and nothing is free.

const file = ledgerForFile();

test('released, and heard of after another attempt failed: the key was sent twice and stays', async () => {
  const story = file.story();
  const { idempotencyKey } = await story.claim();
  const first = story.current;
  await story.release();
  await story.claim();
  await story.receipt('failed');
  expect(await story.receipt('unknown', { attempt: first })).toMatchObject({ contradiction: 'unknown_after_released' });
  await story.receipt('failed', { attempt: first });
  const answer = await story.ask();
  // Where it is free at all, it is under the key that was sent.
  expect([null, idempotencyKey]).toContain(answer.idempotencyKey);
});

test('released before a reconciliation, and heard of after it: the next claim carries the same key', async () => {
  const story = file.story('charge');
  const { idempotencyKey } = await story.claim();
  await story.crash();
  expect(await story.claim()).toMatchObject({ repeat: true, idempotencyKey });
  await story.release();
  await story.resolve('not_happened');
  await story.receipt('unknown');
  expect(await story.receipt('failed')).toMatchObject({ state: 'failed' });
  expect(await story.claim()).toMatchObject({ idempotencyKey });
});

test('failed, then unknown while another attempt was confirmed: after an override it holds the action', async () => {
  const story = file.story();
  await story.claim();
  const first = story.current;
  await story.receipt('failed');
  await story.claim();
  await story.receipt('confirmed', { reference: 'RSV-2' });
  expect(await story.receipt('unknown', { attempt: first })).toMatchObject({ contradiction: 'unknown_after_failed' });
  await story.override();
  expect(await story.receipt('failed')).toMatchObject({ state: 'unknown' });
  expect((await story.ask()).decision).toBe('unknown');
});

test('released, then unknown while another attempt is unresolved: it is said that this contradicts', async () => {
  const story = file.story('charge');
  await story.claim();
  await story.crash();
  await story.claim();
  expect(await story.release()).toMatchObject({ state: 'unknown' });
  expect(await story.receipt('unknown')).toMatchObject({
    state: 'unknown',
    contradiction: 'unknown_after_released',
  });
});

test('a release while the effect of an older attempt was seen leaves no cause on what is confirmed', async () => {
  const story = file.story();
  await story.claim();
  const first = story.current;
  await story.receipt('unknown');
  await story.resolve('not_happened');
  await story.claim();
  await story.receipt('confirmed', { attempt: first, reference: 'RSV-1' });
  expect(await story.release()).toMatchObject({ state: 'confirmed' });
  const { rows } = await file.open.sql.query('SELECT cause FROM action_ledger.actions WHERE id = $1', [story.id]);
  expect(rows).toEqual([{ cause: null }]);
});

test('the settle time counts from the end of the lease, also where the holder says unknown before it', async () => {
  const story = file.story();
  const { leaseExpiresAt } = await story.claim({ leaseSeconds: 600 });
  await story.crash();
  await story.receipt('unknown');
  const { rows } = await file.open.sql.query<{ settle_from: Date }>(
    'SELECT settle_from FROM action_ledger.open_actions WHERE id = $1',
    [story.id],
  );
  expect(rows[0]!.settle_from.toISOString()).toBe(leaseExpiresAt);
});

test('failed after an override, and then confirmed once more: the key was effective and stays', async () => {
  const story = file.story();
  const { idempotencyKey } = await story.claim();
  await story.receipt('confirmed', { reference: 'RSV-1' });
  await story.override();
  await story.receipt('failed');
  await story.receipt('confirmed', { reference: 'RSV-1', evidence: { seen: 'again' } });
  expect(await story.claim()).toMatchObject({ idempotencyKey });
});
