import { setTimeout as sleep } from 'node:timers/promises';

import { Problem } from '../../../ledger-service/src/domain/problem';
import { Batcher } from '../../../ledger-service/src/store/batcher';
import { openLedger, type OpenLedger } from './open-ledger';

type Item = Parameters<Batcher['submit']>[0][number];

/** An item is only carried by the batcher; what it says is the settling's business. */
const items = (count: number): Item[] =>
  Array.from(
    { length: count },
    (_, index) => ({ actionId: `${index}`, command: { kind: 'sweep' }, settled: null }) as never,
  );

const settled = { decision: { answer: 'swept' } } as never;

describe('a batcher', () => {
  test('gathers what comes in one turn, and begins in the next, not after a pause', async () => {
    const sizes: number[] = [];
    const batcher = new Batcher({
      settle: async (batch) => {
        sizes.push(batch.length);
        for (const item of batch) item.settled = settled;
      },
    });
    const began = performance.now();
    await Promise.all(items(50).map((item) => batcher.submit([item])));
    expect(sizes).toEqual([50]);
    await batcher.submit(items(1));
    expect(performance.now() - began).toBeLessThan(100);
  });

  test('runs few batches at once and none that is too large; what waits comes in its order', async () => {
    const order: string[] = [];
    let running = 0;
    let most = 0;
    const batcher = new Batcher({
      concurrency: 2,
      maxItems: 10,
      settle: async (batch) => {
        expect(batch.length).toBeLessThanOrEqual(10);
        most = Math.max(most, ++running);
        order.push(...batch.map(({ actionId }) => actionId));
        await sleep(5);
        for (const item of batch) item.settled = settled;
        running--;
      },
    });
    await batcher.submit(items(95));
    expect(most).toBe(2);
    expect(order).toEqual(items(95).map(({ actionId }) => actionId));
    expect(batcher.waitingCount).toBe(0);
  });

  test('refuses at once what is too much to wait, and nothing else', async () => {
    const batcher = new Batcher({
      concurrency: 1,
      maxItems: 5,
      maxWaiting: 20,
      settle: async (batch) => {
        await sleep(5);
        for (const item of batch) item.settled = settled;
      },
    });
    const [first, second] = [items(20), items(1)];
    const done = batcher.submit(first);
    await batcher.submit(second);
    expect(second[0]!.settled).toMatchObject({ code: 'ledger_unavailable', status: 503 });
    await done;
    expect(first.every((item) => item.settled === settled)).toBe(true);
  });

  test('a settling that leaves an item without an answer answers it all the same', async () => {
    const batcher = new Batcher({ settle: () => Promise.resolve() });
    const [item] = items(1);
    await batcher.submit([item!]);
    expect(item!.settled).toBeInstanceOf(Problem);
  });
});

describe('through the ledger', () => {
  let open: OpenLedger;
  const sizes: [string, number][] = [];
  beforeAll(async () => {
    open = await openLedger({ onBatch: (kind, size) => sizes.push([kind, size]) });
  });
  afterAll(() => open.close());

  test('callers of the same moment share a batch; receipts do not queue behind claims', async () => {
    const claims = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        open.ledger.claim(open.workspaceNo, { claims: [{ subject: `shared-${index}`, operation: 'book' }] }),
      ),
    );
    expect(sizes).toEqual([['claims', 40]]);
    sizes.length = 0;
    await Promise.all(
      claims
        .flat()
        .map((answer) =>
          open.ledger.receipts(open.workspaceNo, [
            { claimToken: (answer as { claimToken: string }).claimToken, outcome: 'failed' },
          ]),
        ),
    );
    expect(sizes).toEqual([['ends', 40]]);
  });

  test('a call of a thousand is answered in its order', async () => {
    const claims = Array.from({ length: 1_000 }, (_, index) => ({ subject: `large-${index}`, operation: 'book' }));
    const answers = await open.ledger.claim(open.workspaceNo, { claims });
    expect(answers.map((answer) => 'actionKey' in answer && answer.actionKey)).toEqual(
      claims.map(({ subject }) => `default:${subject}:book`),
    );
  });

  test('the same key many times in one call: the first leads, the others see what it left', async () => {
    for (const count of [2, 100, 1_000]) {
      const claims = Array.from({ length: count }, () => ({ subject: `one-of-${count}`, operation: 'book' }));
      const answers = await open.ledger.claim(open.workspaceNo, { claims });
      const decisions = answers.map((answer) => 'decision' in answer && answer.decision);
      expect(decisions).toEqual(['proceed', ...Array.from({ length: count - 1 }, () => 'in_progress')]);
    }
  });

  test('two receipts of one claim keep their order, also in a call that is larger than a batch', async () => {
    for (let round = 0; round < 5; round++) {
      const claims = Array.from({ length: 400 }, (_, index) => ({
        subject: `ordered-${round}-${index}`,
        operation: 'book',
      }));
      const granted = (await open.ledger.claim(open.workspaceNo, { claims })) as { claimToken: string }[];
      const receipts = granted.map(({ claimToken }, index) => ({
        claimToken,
        outcome: 'confirmed' as const,
        reference: `${round}-${index}`,
      }));
      const { claimToken } = granted[0]!;
      receipts.splice(200, 0, { claimToken, outcome: 'confirmed', reference: 'second' });
      const answers = await open.ledger.receipts(open.workspaceNo, receipts);
      expect([answers[0], answers[200]]).toMatchObject([{ result: 'recorded' }, { result: 'contradiction' }]);
    }
  });

  test('the same receipt many times in one call is recorded once; two that differ are both kept', async () => {
    const [claim] = await open.ledger.claim(open.workspaceNo, { claims: [{ subject: 'twice', operation: 'book' }] });
    const { claimToken } = claim as { claimToken: string };
    const receipt = { claimToken, outcome: 'confirmed' as const, reference: 'RSV-1' };
    const answers = await open.ledger.receipts(open.workspaceNo, [
      receipt,
      receipt,
      { ...receipt, reference: 'RSV-2' },
      receipt,
    ]);
    expect(answers).toMatchObject([
      { result: 'recorded', replayed: false },
      { result: 'recorded', replayed: true },
      { result: 'contradiction', contradiction: 'two_effects' },
      { result: 'recorded', replayed: true },
    ]);
  });

  test('an empty call is answered with nothing', async () => {
    expect(await open.ledger.claim(open.workspaceNo, { claims: [] })).toEqual([]);
    expect(await open.ledger.receipts(open.workspaceNo, [])).toEqual([]);
  });
});
