import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

import { parseHosts } from './hosts';

const CHANNEL = 'action_ledger';
/** Without notifications, waiters ask again this often. */
const POLL_MS = 200;
/** How long the end of a connection is waited for. */
const END_MS = 1_000;

/** What is left of an action's identity in a notification: enough to wake few in vain. */
const shortId = (actionId: string): string => actionId.slice(-17);

/** Remembers a change that came before somebody waited for it. */
export class Watch {
  private dirty = false;
  private wake: (() => void) | null = null;

  constructor(
    readonly end: () => void,
    private readonly patienceMs: () => number,
  ) {}

  changed(): void {
    this.dirty = true;
    this.wake?.();
  }

  /** Resolves at the next change since the last call, or after the time, or when the signal aborts. */
  async next(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (!this.dirty && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, Math.min(timeoutMs, this.patienceMs()));
        signal?.addEventListener('abort', done);
        this.wake = done;
      });
    }
    this.wake = null;
    this.dirty = false;
  }
}

/**
 * Wakes those who wait for an action to be no longer in progress. Told by the database (LISTEN needs a direct connection
 * of its own), and while that is away by the clock. Only a hint to look again: nothing is decided on it.
 */
export class Changes {
  private readonly watches = new Map<string, Set<Watch>>();
  private readonly ending = new AbortController();
  private loop: Promise<void> | null = null;
  listening = false;

  constructor(private readonly directUrl: string) {}

  start(): void {
    this.loop ??= this.listen();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.loop;
    this.wakeAll();
  }

  /** Watches these actions from now on; ended by `end`. */
  watch(actionIds: readonly string[]): Watch {
    const watch = new Watch(
      () => {
        for (const id of ids) {
          const set = this.watches.get(id);
          set?.delete(watch);
          if (set?.size === 0) this.watches.delete(id);
        }
      },
      () => (this.listening ? Infinity : POLL_MS),
    );
    const ids = actionIds.map(shortId);
    for (const id of ids) this.watches.set(id, (this.watches.get(id) ?? new Set()).add(watch));
    return watch;
  }

  private wake(id: string): void {
    for (const watch of this.watches.get(id) ?? []) watch.changed();
  }

  private wakeAll(): void {
    for (const id of this.watches.keys()) this.wake(id);
  }

  private async listen(): Promise<void> {
    const hosts = parseHosts(this.directUrl);
    for (let turn = 0; !this.ending.signal.aborted; turn++) {
      try {
        await this.listenOn(
          new Client({ ...hosts[turn % hosts.length], connectionTimeoutMillis: 3_000, keepAlive: true }),
        );
      } catch {
        // The connection is a convenience: waiters poll until it is there again.
      }
      this.listening = false;
      this.wakeAll();
      await sleep(500, undefined, { signal: this.ending.signal }).catch(() => undefined);
    }
  }

  private async listenOn(client: Client): Promise<void> {
    const over = new Promise<void>((resolve) => {
      client.once('end', resolve);
      client.on('error', () => {
        resolve();
      });
      this.ending.signal.addEventListener('abort', () => {
        resolve();
      });
    });
    client.on('notification', ({ payload }) => {
      for (const id of (payload ?? '').split(' ')) this.wake(id);
    });
    try {
      // A connection that is being made cannot be ended, only left behind; its own time-out closes it.
      await Promise.race([client.connect().then(() => client.query(`LISTEN ${CHANNEL}`)), over]);
      if (this.ending.signal.aborted) return;
      this.listening = true;
      // What changed before the LISTEN took hold is looked at once.
      this.wakeAll();
      await over;
    } finally {
      await Promise.race([client.end(), sleep(END_MS)]).catch(() => undefined);
    }
  }
}
