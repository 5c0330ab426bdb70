import { setTimeout as sleep } from 'node:timers/promises';

import { ledgerForFile } from './ledger-for-file';
import { type Story } from './story';

const file = ledgerForFile();

beforeAll(async () => {
  await file.open.configure('quick', { settleSeconds: 1 });
  await file.open.configure('slow', { settleSeconds: 60 });
  await file.open.configure('at-once', { settleSeconds: 0 });
});

const byLookUp = (story: Story) =>
  story.resolve('not_happened', { foundBy: 'lookup', reason: 'no booking of this reference' });

test.concurrent('a look-up proves nothing before it is over, and is told when to look again', async () => {
  const story = file.story('slow');
  await story.claim({ leaseSeconds: 1 });
  await story.leaseOver();
  await story.receipt('unknown');
  const before = await story.stored();
  const { rows } = await file.open.sql.query<{ at: Date }>(
    `SELECT since + interval '60 seconds' AS at FROM action_ledger.actions WHERE id = $1`,
    [story.id],
  );
  await expect(byLookUp(story)).rejects.toMatchObject({
    code: 'not_settled',
    status: 409,
    facts: { settledAt: expect.stringContaining(rows[0]!.at.toISOString().slice(0, 19)) },
  });
  expect(await story.stored()).toEqual(before);
});

test.concurrent('after it the look-up counts', async () => {
  const story = file.story('quick');
  await story.claim({ leaseSeconds: 1 });
  await story.receipt('unknown');
  await sleep(2_100);
  expect((await byLookUp(story)).warnings).toEqual([]);
  expect((await story.stored())?.state).toBe('failed');
});

test.concurrent('it runs from the end of the lease where that comes later than the receipt', async () => {
  const story = file.story('quick');
  await story.claim({ leaseSeconds: 600 });
  await story.receipt('unknown');
  await sleep(1_200);
  // A second after the receipt, but the lease is still running.
  await expect(byLookUp(story)).rejects.toMatchObject({ code: 'not_settled' });
});

test.concurrent('it runs from the unknown receipt where that comes later than the lease', async () => {
  const story = file.story('quick');
  await story.claim({ leaseSeconds: 1 });
  await story.leaseOver();
  await story.ask();
  await sleep(500);
  const before = Date.now();
  await story.receipt('unknown', { cause: 'timeout' });
  // By the clock of the same machine; a lease that ended half a second earlier would show here.
  const { rows } = await file.open.sql.query<{ settle_from: Date }>(
    'SELECT settle_from FROM action_ledger.open_actions WHERE id = $1',
    [story.id],
  );
  expect(rows[0]!.settle_from.getTime()).toBeGreaterThanOrEqual(before - 50);
  await sleep(1_200);
  await byLookUp(story);
});

test.concurrent(
  'a lease that is over is no reason to wait: it ended when it ended, not when somebody noticed',
  async () => {
    const story = file.story('quick');
    await story.claim({ leaseSeconds: 1 });
    await sleep(2_200);
    await story.ask();
    await byLookUp(story);
    expect((await story.stored())?.state).toBe('failed');
  },
);

test.concurrent('a person is warned and not stopped', async () => {
  const story = file.story('slow');
  await story.claim();
  await story.receipt('unknown');
  const { warnings } = await story.resolve('not_happened', { foundBy: 'person' });
  expect(warnings).toEqual([expect.stringContaining('settle time')]);
  expect((await story.stored())?.state).toBe('failed');
});

test.concurrent('does not hold back that it happened', async () => {
  const story = file.story('slow');
  await story.claim();
  await story.receipt('unknown');
  await story.resolve('happened', { foundBy: 'lookup', reference: 'RSV-1' });
  expect((await story.stored())?.state).toBe('confirmed');
});

test.concurrent('an operation without it takes a look-up at once, when the lease is over', async () => {
  const story = file.story('at-once');
  await story.claim({ leaseSeconds: 1 });
  await story.leaseOver();
  await story.ask();
  await byLookUp(story);
});
