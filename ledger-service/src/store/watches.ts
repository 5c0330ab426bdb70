/** Without anybody who tells of changes, waiters ask again this often. */
export const POLL_MS = 200;
/** How soon a second hint is followed; each further one after twice the time, up to the poll's. */
const SECOND_HINT_MS = 25;

/** What is left of an action's identity when it is told of: enough to wake few in vain. */
export const shortId = (actionId: string): string => actionId.slice(-17);

/** Remembers a change that came before somebody waited for it. */
export class Watch {
  private dirty = false;
  private wake: (() => void) | null = null;
  private hints = 0;
  private lastHint = -Infinity;
  private later: NodeJS.Timeout | null = null;

  constructor(
    private readonly onEnd: (watch: Watch) => void,
    private readonly patienceMs: () => number,
  ) {}

  /** Told by who knows: this process or PostgreSQL. */
  changed(): void {
    this.dirty = true;
    this.wake?.();
  }

  /**
   * Told by who may be wrong or may lie. The first is followed at once; those that keep coming cost no more than asking
   * by the clock does.
   */
  hinted(): void {
    if (this.later !== null) return;
    const spacing = this.hints === 0 ? 0 : Math.min(POLL_MS, SECOND_HINT_MS * 2 ** (this.hints - 1));
    const waitMs = this.lastHint + spacing - performance.now();
    if (waitMs <= 0) this.followHint();
    else
      this.later = setTimeout(() => {
        this.followHint();
      }, waitMs);
  }

  private followHint(): void {
    this.later = null;
    this.hints++;
    this.lastHint = performance.now();
    this.changed();
  }

  end(): void {
    if (this.later !== null) clearTimeout(this.later);
    this.onEnd(this);
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

/** Who waits for which action. */
export class Watches {
  private readonly byId = new Map<string, Set<Watch>>();

  /** @param patienceMs how long a waiter may rely on being told; asked whenever one begins to wait */
  constructor(private readonly patienceMs: () => number) {}

  watch(actionIds: readonly string[]): Watch {
    const ids = actionIds.map(shortId);
    const watch = new Watch((ended) => {
      for (const id of ids) {
        const set = this.byId.get(id);
        set?.delete(ended);
        if (set?.size === 0) this.byId.delete(id);
      }
    }, this.patienceMs);
    for (const id of ids) this.byId.set(id, (this.byId.get(id) ?? new Set()).add(watch));
    return watch;
  }

  /** @param id a short one */
  changed(id: string): void {
    for (const watch of this.byId.get(id) ?? []) watch.changed();
  }

  hinted(id: string): void {
    for (const watch of this.byId.get(id) ?? []) watch.hinted();
  }

  allChanged(): void {
    for (const id of this.byId.keys()) this.changed(id);
  }

  allHinted(): void {
    for (const id of this.byId.keys()) this.hinted(id);
  }
}
