import { ledgerForFile } from './ledger-for-file';

const file = ledgerForFile();

test.each([
  ['the attempt', { attempt: 1, historySeq: 0 }],
  ['the number of history entries', { attempt: 0, historySeq: 1 }],
])('%s alone makes a resolution stale', async (_what, behind) => {
  const story = file.story();
  await story.claim();
  await story.crash();
  await story.resolve('not_happened');
  await story.claim();
  await story.crash();
  const now = await story.fence();
  const fence = { attempt: now.attempt - behind.attempt, historySeq: now.historySeq - behind.historySeq };
  await expect(story.resolve('not_happened', fence)).rejects.toMatchObject({
    code: 'stale_resolution',
    facts: { state: 'unknown', attempt: 2, historySeq: now.historySeq + 1 },
  });
  expect((await story.stored())?.state).toBe('unknown');
});

test('a fence from the future is as stale as one from the past', async () => {
  const story = file.story();
  await story.claim();
  await story.crash();
  const { attempt, historySeq } = await story.fence();
  for (const fence of [
    { attempt: attempt + 1, historySeq },
    { attempt, historySeq: historySeq + 5 },
  ]) {
    await expect(story.resolve('happened', { evidence: { page: 1 }, ...fence })).rejects.toMatchObject({
      code: 'stale_resolution',
    });
  }
});

test('what a stale resolution found is kept: who, what, and what it was looking at', async () => {
  const story = file.story();
  await story.claim();
  await story.crash();
  const page = await story.fence();
  await story.resolve('still_unknown');
  const stale = story.resolve('happened', { ...page, by: 'Ada', reference: 'RSV-7', evidence: { seen: true } });
  await expect(stale).rejects.toMatchObject({ code: 'stale_resolution' });
  expect((await story.stored())?.history.at(-1)).toMatchObject({
    kind: 'stale_resolution',
    facts: { outcome: 'happened', references: ['RSV-7'], fence: page },
    details: { by: 'Ada', evidence: { seen: true } },
  });
  // Kept as evidence only: it is not a reference of the action.
  expect((await story.stored())?.references).toEqual([]);
});

test('a second look on the new page goes through', async () => {
  const story = file.story();
  await story.claim();
  await story.crash();
  const page = await story.fence();
  await story.resolve('still_unknown');
  await expect(story.resolve('happened', { ...page, reference: 'RSV-7' })).rejects.toMatchObject({
    facts: { historySeq: 4 },
  });
  await story.resolve('happened', { reference: 'RSV-7', attempt: 1, historySeq: 4 });
  expect((await story.stored())?.state).toBe('confirmed');
});

test('two resolutions of one page at once: one holds, the other is stale', async () => {
  const { ledger, another, workspaceNo } = { ...file.open, another: file.open.another() };
  for (let round = 0; round < 10; round++) {
    const story = file.story();
    await story.claim();
    await story.crash();
    const fence = await story.fence();
    const results = await Promise.allSettled([
      ledger.resolve(workspaceNo, story.id, { outcome: 'happened', reference: 'RSV-1', ...fence }, 'one'),
      another.resolve(workspaceNo, story.id, { outcome: 'not_happened', reason: 'gone', ...fence }, 'other'),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await story.stored())?.history.map(({ kind }) => kind)).toEqual([
      'claimed',
      'abandoned',
      'reconciled',
      'stale_resolution',
    ]);
  }
});

test('a heartbeat or the repetition of a call does not make a page stale', async () => {
  const story = file.story();
  await story.claim();
  const fence = await story.fence();
  await story.heartbeat();
  await story.ask({}, { requestToken: story.current.requestToken });
  expect(await story.fence()).toEqual(fence);
});

test('what happened needs a reference, evidence or a reason; what did not needs a reason', async () => {
  const story = file.story();
  await story.claim();
  await story.crash();
  const before = await story.stored();
  await expect(story.resolve('happened', { reason: null })).rejects.toMatchObject({ field: 'reference', status: 400 });
  await expect(story.resolve('happened', { reason: null, reference: '  ' })).rejects.toMatchObject({ status: 400 });
  await expect(story.resolve('not_happened', { reason: ' ' })).rejects.toMatchObject({ field: 'reason', status: 400 });
  expect(await story.stored()).toEqual(before);
});

test('a second "still unknown" has its own entry', async () => {
  const story = file.story();
  await story.claim();
  await story.crash();
  for (let look = 0; look < 3; look++) await story.resolve('still_unknown', { reason: `look ${look}` });
  expect((await story.stored())?.historySeq).toBe(5);
});
