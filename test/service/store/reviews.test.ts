import { setTimeout as sleep } from 'node:timers/promises';

import { Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

let shared: OpenLedger;
/** The shared ledger in a workspace of the test's own: what is due elsewhere is not seen. */
let open: OpenLedger;
beforeAll(async () => {
  shared = await openLedger();
});
beforeEach(async () => {
  open = { ...shared, workspaceNo: await shared.workspace(expect.getState().currentTestName!) };
});
afterAll(() => shared.close());

const unknown = async (operation?: string): Promise<Story> => {
  const story = new Story(open, operation);
  await story.claim();
  await story.receipt('unknown');
  return story;
};

const lease = async (limit = 100, operationNo: number | null = null, leaseSeconds = 60): Promise<string[]> =>
  (await open.ledger.reading.leaseDue(open.workspaceNo, { operationNo, limit, leaseSeconds })).map(({ id }) => id);

const ids = (stories: Story[]): string[] => stories.map(({ id }) => id).sort();

test('what is unknown is due at once, and nothing else is', async () => {
  const due = await Promise.all([unknown(), unknown()]);
  const others = [new Story(open), new Story(open), new Story(open)];
  await others[0]!.claim();
  await others[1]!.claim();
  await others[1]!.receipt('failed');
  await others[2]!.register();
  expect((await lease()).sort()).toEqual(ids(due));
});

test('two reconcilers at once are never given the same', async () => {
  const due = await Promise.all(Array.from({ length: 60 }, () => unknown()));
  const other = open.another();
  const taken = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      (index % 2 === 0 ? open.ledger : other).reading.leaseDue(open.workspaceNo, {
        operationNo: null,
        limit: 10,
        leaseSeconds: 60,
      }),
    ),
  );
  const given = taken.flat().map(({ id }) => id);
  expect(new Set(given).size).toBe(given.length);
  const rest = await lease();
  expect([...given, ...rest].sort()).toEqual(ids(due));
});

test('it is due again when the lease on it is over', async () => {
  const story = await unknown();
  expect(await lease(10, null, 1)).toEqual([story.id]);
  expect(await lease()).toEqual([]);
  await sleep(1_050);
  expect(await lease()).toEqual([story.id]);
});

test('only so many, the longest due first; one operation by itself', async () => {
  const first = await unknown();
  const second = await unknown('charge');
  const third = await unknown();
  const { no } = (await open.ledger.operations.find({ workspaceNo: open.workspaceNo, name: 'charge' }))!;
  expect(await lease(10, no)).toEqual([second.id]);
  expect(await lease(1)).toEqual([first.id]);
  expect(await lease(1)).toEqual([third.id]);
});

test('still unknown puts it off to the next check', async () => {
  const story = await unknown();
  await lease();
  await story.resolve('still_unknown', { nextCheckAt: new Date(Date.now() + 1_500).toISOString() });
  expect(await lease()).toEqual([]);
  await sleep(1_600);
  expect(await lease()).toEqual([story.id]);
});

test('a check that is brought forward ends the lease on it', async () => {
  const story = await unknown();
  await story.resolve('still_unknown', { nextCheckAt: '2039-01-01T00:00:00Z' });
  expect(await lease()).toEqual([]);
  await story.resolve('still_unknown', { nextCheckAt: new Date().toISOString() });
  expect(await lease()).toEqual([story.id]);
});

test('what was leased and resolved is due no more; unknown again it is', async () => {
  const story = await unknown();
  await lease();
  await story.resolve('not_happened');
  expect(await lease()).toEqual([]);
  await story.claim();
  await story.receipt('unknown');
  expect(await lease()).toEqual([story.id]);
});

test('looking moves neither the attempt nor the history: the fence that was given holds', async () => {
  const story = await unknown();
  const [given] = await open.ledger.reading.leaseDue(open.workspaceNo, {
    operationNo: null,
    limit: 1,
    leaseSeconds: 60,
  });
  await lease();
  const { attempt, historySeq } = given!;
  await story.resolve('happened', { attempt, historySeq, reference: 'RSV-1' });
  expect((await story.stored())?.state).toBe('confirmed');
});

test('evidence that is added while somebody looks makes his page stale, and does not put the review off', async () => {
  const story = await unknown();
  const due = async () =>
    (
      await open.sql.query<{ due_at: Date; review_by: Date }>(
        'SELECT due_at, review_by FROM action_ledger.open_actions WHERE id = $1',
        [story.id],
      )
    ).rows;
  const [given] = await open.ledger.reading.leaseDue(open.workspaceNo, {
    operationNo: null,
    limit: 1,
    leaseSeconds: 60,
  });
  const before = await due();
  await story.receipt('unknown', { evidence: { log: 'ECONNRESET' } });
  expect(await due()).toEqual(before);
  const { attempt, historySeq } = given!;
  await expect(story.resolve('not_happened', { attempt, historySeq })).rejects.toMatchObject({
    code: 'stale_resolution',
  });
});
