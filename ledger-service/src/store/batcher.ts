import { setTimeout as sleep } from 'node:timers/promises';

import { Problem } from '../domain/problem';
import { classify, unavailable } from './database-errors';
import { type Item } from './item';
import { pausePoint } from './pause-point';

export interface BatcherOptions {
  /** Settles items; calls `settled` whenever some of them are. */
  settle: (items: readonly Item[], settled: () => void) => Promise<void>;
  /** Batches under way at once; each takes a connection. */
  concurrency?: number;
  /** Items in a batch. Beyond about 300 a statement gains nothing. */
  maxItems?: number;
  /** Items waiting for a batch; more are refused at once. */
  maxWaiting?: number;
  /** How long a batch that meets a database that is away is tried again, in milliseconds. */
  patienceMs?: number;
  onBatch?: (size: number) => void;
  /** Told of errors that a single item caused. */
  onError?: (error: unknown, item: Item) => void;
}

interface Waiting {
  item: Item;
  /** Tells the caller, once. */
  done: () => void;
}

/** How many batches' worth of waiting items are looked through for one that may start. */
const LOOK_AHEAD = 10;

const nameOf = ({ workspaceNo, actionId }: Item): string => `${workspaceNo}:${actionId}`;

/**
 * Gathers what many callers ask at the same moment into few statements: a batch starts as soon as a connection is free,
 * never after a pause. An item that makes a statement fail is found by halving the batch; its neighbours are settled.
 */
export class Batcher {
  private readonly waiting: Waiting[] = [];
  private running = 0;
  /** Actions in the batches that are under way. */
  private readonly underWay = new Set<string>();
  private scheduled = false;
  private readonly options: Required<BatcherOptions>;

  constructor(options: BatcherOptions) {
    this.options = {
      concurrency: 2,
      maxItems: 200,
      maxWaiting: 100_000,
      patienceMs: 4_000,
      onBatch: () => undefined,
      onError: () => undefined,
      ...options,
    };
  }

  /** Resolves when every item is settled, one way or the other. */
  async submit(items: readonly Item[]): Promise<void> {
    const open = items.filter((item) => item.settled === null);
    if (open.length === 0) return;
    if (this.waiting.length + open.length > this.options.maxWaiting) {
      const busy = unavailable(new Error('Too many claims and receipts are waiting'));
      for (const item of open) item.settled = busy;
      return;
    }
    await new Promise<void>((resolve) => {
      const left = new Set(open);
      for (const item of open) {
        const done = (): void => {
          left.delete(item);
          if (left.size === 0) resolve();
        };
        this.waiting.push({ item, done });
      }
      this.schedule();
    });
    await pausePoint('caller told');
  }

  get waitingCount(): number {
    return this.waiting.length;
  }

  /** In the next turn of the event loop, so that all that arrived in this one goes together. */
  private schedule(): void {
    if (this.scheduled || this.running >= this.options.concurrency) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      while (this.running < this.options.concurrency) {
        const batch = this.nextBatch();
        if (batch.length === 0) return;
        void this.run(batch);
      }
    });
  }

  /**
   * The first items whose actions are in no batch that is under way: what is asked of one action is decided in the order
   * in which it arrived, also where a call is larger than a batch.
   */
  private nextBatch(): Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const looked = Math.min(this.waiting.length, this.options.maxItems * LOOK_AHEAD);
    let at = 0;
    for (; at < looked && batch.length < this.options.maxItems; at++) {
      const one = this.waiting[at];
      if (one === undefined) break;
      (this.underWay.has(nameOf(one.item)) ? left : batch).push(one);
    }
    this.waiting.splice(0, at, ...left);
    return batch;
  }

  private async run(batch: readonly Waiting[]): Promise<void> {
    this.running++;
    const names = new Set(batch.map(({ item }) => nameOf(item)));
    for (const name of names) this.underWay.add(name);
    this.options.onBatch(batch.length);
    const under = new BatchUnderWay(batch, performance.now() + this.options.patienceMs);
    try {
      await pausePoint('batch chosen');
      await this.settle(under.items(), under);
      await pausePoint('batch settled');
    } finally {
      this.running--;
      for (const name of names) this.underWay.delete(name);
      fail(under.items(), new Error('The batch ended without settling this item'));
      under.tell();
      this.schedule();
    }
  }

  private async settle(items: readonly Item[], batch: BatchUnderWay): Promise<void> {
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, 500)) {
      const open = batch.open(items);
      if (open.length === 0) return;
      try {
        await this.options.settle(open, () => {
          batch.tell();
        });
        return;
      } catch (error) {
        await pausePoint('batch failed');
        const left = batch.open(open);
        const failure = error instanceof Problem ? 'contended' : classify(error);
        if (failure === 'statement') {
          await this.halve(left, error, batch);
          return;
        }
        if (failure === 'contended' || performance.now() > batch.until) {
          fail(left, error);
          if (failure === 'gone') this.failWaiting(error);
          return;
        }
        // A resolution whose answer was lost may have been recorded; sent again it would be judged stale by its own effect.
        if (failure === 'gone') fail(left.filter(isResolution), error);
        await sleep(pauseMs * (0.5 + Math.random()));
        await pausePoint('batch tried again');
      }
    }
  }

  /** The database is away: what waits would meet the same, and its callers are answered now. */
  private failWaiting(error: unknown): void {
    for (const { item, done } of this.waiting.splice(0)) {
      item.settled ??= unavailable(error);
      done();
    }
  }

  private async halve(items: readonly Item[], error: unknown, batch: BatchUnderWay): Promise<void> {
    const [only] = items;
    if (only === undefined) return;
    if (items.length === 1) {
      this.options.onError(error, only);
      only.settled = new Problem(
        'internal',
        'The ledger could not store this item. Nothing of it was recorded.',
        { hint: 'Report this with the time and the action key; do not carry out the action.' },
        { cause: error },
      );
      return;
    }
    const middle = items.length >> 1;
    await this.settle(items.slice(0, middle), batch);
    await this.settle(items.slice(middle), batch);
  }
}

/**
 * The items of a batch whose callers were not told yet. Who is answered need not wait for the rest; from then on the item
 * is its caller's, who may even submit it again.
 */
class BatchUnderWay {
  private readonly untold: Map<Item, () => void>;

  constructor(
    batch: readonly Waiting[],
    /** When to stop trying, on the clock of `performance.now()`. */
    readonly until: number,
  ) {
    this.untold = new Map(batch.map(({ item, done }) => [item, done]));
  }

  items(): Item[] {
    return [...this.untold.keys()];
  }

  /** Those of these items that are not settled. */
  open(items: readonly Item[]): Item[] {
    return items.filter((item) => this.untold.has(item) && item.settled === null);
  }

  tell(): void {
    for (const [item, done] of this.untold) {
      if (item.settled === null) continue;
      this.untold.delete(item);
      done();
    }
  }
}

const isResolution = ({ command }: Item): boolean => command.kind === 'reconcile' || command.kind === 'override';

function fail(items: readonly Item[], error: unknown): void {
  for (const item of items) item.settled ??= unavailable(error);
}
