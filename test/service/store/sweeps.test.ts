import { setTimeout as sleep } from 'node:timers/promises';

import { LEASE_OVER_MS } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

jest.setTimeout(30_000);

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

const claim = async (workspaceNo: number, count: number, name: string, leaseSeconds = 1): Promise<void> => {
  await open.ledger.claim(workspaceNo, {
    claims: Array.from({ length: count }, (_, index) => ({
      subject: `${name}-${index}`,
      operation: 'book',
      leaseSeconds,
    })),
  });
};

const states = async (name: string): Promise<Record<number, number>> => {
  const { rows } = await open.sql.query<{ state: number; count: number }>(
    'SELECT state, count(*)::int FROM action_ledger.actions WHERE subject LIKE $1 GROUP BY state',
    [`${name}-%`],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
};

test('two sweepers at once end each lease once, and between them all', async () => {
  await claim(open.workspaceNo, 300, 'both');
  await claim(open.workspaceNo, 50, 'live', 300);
  await sleep(LEASE_OVER_MS);
  const ledgers = [open.ledger, open.another(), open.another()];
  const ended = await Promise.all(ledgers.map((ledger) => ledger.sweep(1_000)));
  expect(ended.reduce((sum, count) => sum + count)).toBe(300);
  expect(await states('both')).toEqual({ 5: 300 });
  expect(await states('live')).toEqual({ 2: 50 });
  const { rows } = await open.sql.query<{ seqs: number }>(
    `SELECT max(a.history_seq) AS seqs FROM action_ledger.actions a WHERE subject LIKE 'both-%'`,
  );
  expect(rows).toEqual([{ seqs: 2 }]);
});

test('a sweep takes so many at a time, the longest over first, in every workspace', async () => {
  const elsewhere = await open.workspace('elsewhere');
  await claim(open.workspaceNo, 30, 'first');
  await sleep(300);
  await claim(elsewhere, 30, 'second');
  await sleep(LEASE_OVER_MS);
  expect(await open.ledger.sweep(30)).toBe(30);
  expect(await states('first')).toEqual({ 5: 30 });
  expect(await states('second')).toEqual({ 2: 30 });
  expect(await open.ledger.sweep(30)).toBe(30);
  expect(await states('second')).toEqual({ 5: 30 });
  expect(await open.ledger.sweep(30)).toBe(0);
});

test('a sweep and the receipts and heartbeats of the same moment: each action has one history', async () => {
  const answers = await open.ledger.claim(open.workspaceNo, {
    claims: Array.from({ length: 200 }, (_, index) => ({
      subject: `race-${index}`,
      operation: 'book',
      leaseSeconds: 1,
    })),
  });
  const tokens = answers.map((answer) => (answer as { claimToken: string }).claimToken);
  await sleep(LEASE_OVER_MS - 60);
  const other = open.another();
  await Promise.all([
    ...Array.from({ length: 6 }, async () => {
      await sleep(Math.random() * 120);
      await open.ledger.sweep(1_000);
    }),
    other.receipts(
      open.workspaceNo,
      tokens.slice(0, 100).map((claimToken) => ({ claimToken, outcome: 'confirmed', reference: claimToken })),
    ),
    other.heartbeats(
      open.workspaceNo,
      tokens.slice(100).map((claimToken) => ({ claimToken })),
    ),
  ]);
  expect(await states('race')).toMatchObject({ 3: 100 });
  await sleep(LEASE_OVER_MS);
  await open.ledger.sweep(1_000);
  expect(await states('race')).toEqual({ 3: 100, 5: 100 });
});

test('nothing stays in progress beyond its lease: the statistics count what is overdue', async () => {
  await claim(open.workspaceNo, 3, 'overdue');
  await sleep(LEASE_OVER_MS);
  expect((await open.ledger.reading.statistics()).overdueLeases).toBe(3);
  await open.ledger.sweep();
  const { open: counts, overdueLeases, oldestUnknownSince } = await open.ledger.reading.statistics();
  expect(overdueLeases).toBe(0);
  expect(counts).toMatchObject({ in_progress: 50, unknown: 300 + 60 + 100 + 3 });
  const { rows } = await open.sql.query<{ oldest: Date }>(
    'SELECT min(since) AS oldest FROM action_ledger.actions WHERE state = 5',
  );
  expect(Math.abs(oldestUnknownSince! - rows[0]!.oldest.getTime())).toBeLessThan(2);
});
