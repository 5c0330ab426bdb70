import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Redis } from 'ioredis';

import { Probe } from './probe';
import { LyingRedisError, redisConnection } from './redis-connection';
import { type WakeUpLog } from './wake-up-log';

const PROBE_EVERY_MS = 5_000;
const PROBE_MS = 2_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Between two messages; what changes meanwhile goes into the next one. */
const MESSAGE_EVERY_MS = 5;
const MAX_IDS_IN_MESSAGE = 700;
/** What waits for a Redis that is slow; beyond it hints are dropped, and the waiters' clocks find what they said. */
const MAX_IDS_WAITING = 5_000;

/** A workspace's action as it is told of: the second half of its identity. */
const SHORT_ID = /^[0-9a-f]{4}-[0-9a-f]{12}$/;

export interface RedisWakeUpsOptions {
  url: string;
  /** Several ledgers may share a Redis. */
  ledgerId: () => Promise<string>;
  /** @param ids short ones; any of them may be a lie */
  onHints: (ids: readonly string[]) => void;
  onState: (up: boolean) => void;
  log: WakeUpLog;
}

/**
 * Hints across replicas by Redis pub/sub. A hint says only *look again*; nothing is read from Redis, nothing is decided
 * on it, and nobody waits for it: what cannot be sent at once is dropped.
 */
export class RedisWakeUps {
  /** Leads our messages: our own waiters were woken before they were sent. */
  private readonly sender = randomBytes(4).toString('hex');
  private readonly ending = new AbortController();
  private readonly waiting = new Set<string>();
  private loop: Promise<void> | null = null;
  private publisher: { redis: Redis; channel: string } | null = null;
  private sending = false;
  private failing = false;

  constructor(private readonly options: RedisWakeUpsOptions) {}

  start(): void {
    this.loop ??= this.run();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.loop;
  }

  /** @param ids short ones */
  tell(ids: readonly string[]): void {
    if (this.publisher === null) return;
    for (const id of ids) if (this.waiting.size < MAX_IDS_WAITING) this.waiting.add(id);
    if (!this.sending) void this.send();
  }

  private async send(): Promise<void> {
    this.sending = true;
    while (this.waiting.size > 0 && this.publisher !== null) {
      const { redis, channel } = this.publisher;
      const ids = [...this.waiting].slice(0, MAX_IDS_IN_MESSAGE);
      for (const id of ids) this.waiting.delete(id);
      // What could not be sent is found by the waiters' clocks; the session notices the outage by itself.
      await redis.publish(channel, `${this.sender} ${ids.join(' ')}`).catch(() => undefined);
      await sleep(MESSAGE_EVERY_MS);
    }
    this.sending = false;
  }

  private async run(): Promise<void> {
    const { signal } = this.ending;
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      let lies = false;
      try {
        await this.session();
      } catch (error) {
        lies = error instanceof LyingRedisError;
        this.report(error);
      }
      // One that is not there, or lies, is left alone for longer each time.
      if (this.publisher !== null && !lies) pauseMs = FIRST_PAUSE_MS;
      this.publisher = null;
      this.waiting.clear();
      this.options.onState(false);
      await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  /** One pair of connections, since a subscriber may not publish. Throws when it is over. */
  private async session(): Promise<never> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.ending.signal, over.signal]);
    const ended = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
    ended.catch(() => undefined);
    const connect = async (): Promise<Redis> => {
      const redis = await redisConnection(this.options.url, (error) => {
        over.abort(error);
      });
      signal.throwIfAborted();
      signal.addEventListener('abort', () => {
        redis.disconnect();
      });
      redis.once('end', () => {
        over.abort(new Error('The connection to Redis was closed'));
      });
      return redis;
    };
    try {
      return await Promise.race([ended, this.converse(await connect(), await connect(), signal)]);
    } finally {
      over.abort(new Error('The session is over'));
    }
  }

  private async converse(subscriber: Redis, publisher: Redis, signal: AbortSignal): Promise<never> {
    const channel = `action_ledger:${await this.options.ledgerId()}`;
    const probe = new Probe();
    subscriber.on('message', (_channel: string, message: string) => {
      if (!probe.heard(message)) this.hear(message);
    });
    await Promise.all([subscriber.connect(), publisher.connect()]);
    await subscriber.subscribe(channel);
    for (;;) {
      if (!(await probe.comesBack((text) => publisher.publish(channel, text), PROBE_MS))) {
        throw new Error('What was published in Redis did not arrive in time');
      }
      this.report(null);
      if (this.publisher === null) {
        this.publisher = { redis: publisher, channel };
        this.options.onState(true);
      }
      await sleep(PROBE_EVERY_MS, undefined, { signal });
    }
  }

  /** Anything may stand in a message. */
  private hear(message: string): void {
    const [sender, ...ids] = message.split(' ', MAX_IDS_IN_MESSAGE + 1);
    if (sender !== this.sender) this.options.onHints(ids.filter((id) => SHORT_ID.test(id)));
  }

  private report(error: unknown): void {
    if (this.ending.signal.aborted || (error !== null) === this.failing) return;
    this.failing = error !== null;
    if (error === null) this.options.log.info({}, 'Redis wakes waiting claims again');
    else {
      this.options.log.warn(
        { err: error },
        'Redis (REDIS_URL) cannot be used to wake waiting claims; they are answered all the same, and it is tried again',
      );
    }
  }
}
