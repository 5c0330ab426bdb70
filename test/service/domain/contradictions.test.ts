import { ledgerForFile } from './ledger-for-file';

const file = ledgerForFile();

test('the same effect under the same reference from another attempt is no contradiction', async () => {
  const story = file.story('charge');
  await story.claim();
  await story.crash();
  await story.claim();
  await story.receipt('confirmed', { reference: 'CH-1' });
  const older = await story.receipt('confirmed', { attempt: story.attempts[0]!, reference: 'CH-1' });
  expect(older).toMatchObject({ result: 'recorded', contradiction: null, state: 'confirmed' });
  expect((await story.stored())?.contradictions).toEqual([]);
});

test('two attempts that are confirmed without a name that both share may be two effects', async () => {
  const story = file.story('charge');
  await story.claim();
  await story.crash();
  await story.claim();
  await story.receipt('confirmed');
  const older = await story.receipt('confirmed', { attempt: story.attempts[0]! });
  expect(older).toMatchObject({ result: 'contradiction', contradiction: 'two_effects' });
});

test('each contradiction is named once, and in the order in which they came', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('failed');
  await story.receipt('unknown');
  await story.receipt('confirmed', { reference: 'RSV-1' });
  await story.receipt('confirmed', { reference: 'RSV-2' });
  await story.receipt('confirmed', { reference: 'RSV-3' });
  const { contradictions, references } = (await story.stored())!;
  expect(references).toEqual(['RSV-1', 'RSV-2', 'RSV-3']);
  expect(new Set(contradictions).size).toBe(contradictions.length);
  expect(contradictions[0]).toBe('unknown_after_failed');
  expect(contradictions.at(-1)).toBe('two_effects');
});

test('several references of one call are one effect, in any order; one more is a second', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('confirmed', { references: ['SEAT-1', 'SEAT-2'], reference: 'RSV-1' });
  expect((await story.stored())?.references).toEqual(['RSV-1', 'SEAT-1', 'SEAT-2']);
  const again = await story.receipt('confirmed', { references: ['SEAT-2', 'RSV-1', 'SEAT-1', 'SEAT-1'] });
  expect(again).toMatchObject({ result: 'recorded', replayed: true });
  const more = await story.receipt('confirmed', { references: ['RSV-1', 'SEAT-3'] });
  expect(more).toMatchObject({ result: 'contradiction', contradiction: 'two_effects' });
});

test('a receipt after a reconciliation as not happened names it, also when the action moved on since', async () => {
  const story = file.story();
  await story.claim();
  await story.crash();
  await story.resolve('not_happened');
  await story.claim();
  await story.crash();
  const late = await story.receipt('confirmed', { attempt: story.attempts[0]!, reference: 'RSV-1' });
  expect(late).toMatchObject({ state: 'confirmed', late: true, contradiction: expect.any(String) });
});

describe('a receipt from another execution than the one that claimed', () => {
  test('that confirms what was confirmed is a contradiction, even under the same reference', async () => {
    const story = file.story();
    await story.claim();
    await story.receipt('confirmed', { reference: 'RSV-1', holder: story.holder(story.current.executionId) });
    const retried = await story.receipt('confirmed', { reference: 'RSV-2', holder: story.holder('retry') });
    expect(retried).toMatchObject({ result: 'contradiction', state: 'confirmed' });
    expect((await story.stored())?.contradictions.length).toBeGreaterThan(0);
  });

  test('that confirms what was unknown says that the step was repeated', async () => {
    const story = file.story();
    await story.claim();
    await story.crash();
    const retried = await story.receipt('confirmed', { reference: 'RSV-1', holder: story.holder('retry') });
    expect(retried).toMatchObject({ state: 'confirmed', contradiction: 'repeated_by_retry' });
  });

  test('that says failed proves nothing of the first time: it is unknown', async () => {
    const story = file.story();
    await story.claim();
    const retried = await story.receipt('failed', { holder: story.holder('retry') });
    expect(retried).toMatchObject({ state: 'unknown', contradiction: 'repeated_by_retry' });
    expect((await story.ask()).decision).toBe('unknown');
  });

  test('from the same execution is none', async () => {
    const story = file.story();
    await story.claim();
    const receipt = await story.receipt('failed', { holder: story.holder(story.current.executionId) });
    expect(receipt).toMatchObject({ state: 'failed', contradiction: null });
  });
});

test('evidence that only adds to a receipt is no contradiction', async () => {
  const story = file.story();
  await story.claim();
  await story.receipt('confirmed', { reference: 'RSV-1', evidence: { a: 1 } });
  for (const evidence of [{ a: 2 }, { a: 1 }, { a: 2 }]) {
    expect(await story.receipt('confirmed', { reference: 'RSV-1', evidence })).toMatchObject({
      result: 'recorded',
      replayed: true,
    });
  }
  const stored = await story.stored();
  expect(stored?.contradictions).toEqual([]);
  // Each piece of evidence is kept once.
  expect(stored?.history.map(({ details }) => details)).toMatchObject([
    expect.anything(),
    { evidence: { a: 1 } },
    { evidence: { a: 2 } },
  ]);
});

test('more receipts than the ledger remembers: the newest effects are all kept in the history', async () => {
  const story = file.story();
  await story.claim();
  for (let number = 1; number <= 60; number++) {
    await story.receipt('confirmed', { reference: `RSV-${number}` });
  }
  const stored = await story.stored();
  expect(stored?.references).toHaveLength(60);
  expect(stored?.historySeq).toBe(61);
  expect(await story.receipt('confirmed', { reference: 'RSV-60' })).toMatchObject({ replayed: true });
});
