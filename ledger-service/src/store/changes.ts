import { PostgresNotifications } from './postgres-notifications';
import { RedisWakeUps } from './redis-wake-ups';
import { type WakeUpLog } from './wake-up-log';
import { POLL_MS, shortId, type Watch, Watches } from './watches';

/** Where Redis tells of changes waiters still ask by the clock, only less often: what it tells may be lost. */
const POLL_BESIDE_REDIS_MS = 1_000;

export interface ChangesOptions {
  /** For LISTEN; a connection that no pooler stands in front of. */
  directUrl: string;
  /** Sends a notification by another connection. */
  notify: (channel: string, payload: string) => Promise<unknown>;
  redisUrl?: string | undefined;
  ledgerId: () => Promise<string>;
  log?: WakeUpLog | undefined;
}

const SILENT: WakeUpLog = { warn: () => undefined, info: () => undefined };

/**
 * Wakes those who wait for an action to be no longer in progress. Told by this process of its own changes, by PostgreSQL
 * (LISTEN) and by Redis of those of others, and while neither is there by the clock. Only a hint to look again: nothing
 * is decided on it.
 */
export class Changes {
  private readonly watches: Watches;
  private readonly notifications: PostgresNotifications;
  private readonly redis: RedisWakeUps | null;
  listening = false;
  /** Null where no Redis was asked for. */
  redisUp: boolean | null = null;

  constructor({ directUrl, notify, redisUrl, ledgerId, log = SILENT }: ChangesOptions) {
    this.watches = new Watches(() =>
      this.listening ? Infinity : this.redisUp === true ? POLL_BESIDE_REDIS_MS : POLL_MS,
    );
    this.notifications = new PostgresNotifications({
      directUrl,
      notify,
      log,
      onChanges: (ids) => {
        for (const id of ids) this.watches.changed(id);
      },
      // What changed before it took hold, or while it was failing, is looked at once.
      onState: (listening) => {
        if (this.listening === listening) return;
        this.listening = listening;
        this.watches.allChanged();
      },
    });
    this.redis = null;
    if (redisUrl === undefined) return;
    this.redisUp = false;
    if (!isRedisUrl(redisUrl)) {
      log.warn({}, 'REDIS_URL is not of the form redis://host:port or rediss://…; the service runs without Redis');
      return;
    }
    this.redis = new RedisWakeUps({
      url: redisUrl,
      ledgerId,
      log,
      onHints: (ids) => {
        for (const id of ids) this.watches.hinted(id);
      },
      onState: (up) => {
        if (this.redisUp === up) return;
        this.redisUp = up;
        this.watches.allHinted();
      },
    });
  }

  start(): void {
    this.notifications.start();
    this.redis?.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.notifications.stop(), this.redis?.stop()]);
    this.watches.allChanged();
  }

  /** Watches these actions from now on; ended by `end`. */
  watch(actionIds: readonly string[]): Watch {
    return this.watches.watch(actionIds);
  }

  /** These are no longer in progress: this process wrote so. */
  wrote(actionIds: readonly string[]): void {
    if (actionIds.length === 0) return;
    const ids = actionIds.map(shortId);
    for (const id of ids) this.watches.changed(id);
    this.redis?.tell(ids);
  }
}

const isRedisUrl = (text: string): boolean => /^rediss?:\/\/[^/]/.test(text) && URL.canParse(text);
