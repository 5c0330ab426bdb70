import { setTimeout as sleep } from 'node:timers/promises';

import { parseHosts } from './hosts';
import { Probe } from './probe';
import { ServerConnection } from './server-connection';
import { type WakeUpLog } from './wake-up-log';

const CHANNEL = 'action_ledger';
/** How long the end of a connection is waited for. */
const END_MS = 1_000;
const PROBE_EVERY_MS = 10_000;
const PROBE_MS = 5_000;
const AGAIN_MS = 500;
/** Behind a pooler nothing changes soon, and every try leaves a LISTEN on a connection of the pooler's. */
const AGAIN_WHEN_DEAF_MS = 30_000;

export interface NotificationsOptions {
  directUrl: string;
  /** Sends a notification by another connection than the one that listens: only that shows that they arrive. */
  notify: (channel: string, payload: string) => Promise<unknown>;
  /** @param ids short ones */
  onChanges: (ids: readonly string[]) => void;
  onState: (listening: boolean) => void;
  log: WakeUpLog;
}

/** LISTEN on a connection of its own, for as long as notifications really arrive on it. */
export class PostgresNotifications {
  private readonly ending = new AbortController();
  private loop: Promise<void> | null = null;
  private deaf = false;

  constructor(private readonly options: NotificationsOptions) {}

  start(): void {
    this.loop ??= this.listen();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.loop;
  }

  private async listen(): Promise<void> {
    const hosts = parseHosts(this.options.directUrl);
    const { signal } = this.ending;
    for (let turn = 0; !signal.aborted; turn++) {
      let heard = true;
      try {
        heard = await this.listenOn(
          new ServerConnection({
            ...hosts[turn % hosts.length],
            connectionTimeoutMillis: 3_000,
            query_timeout: 5_000,
            keepAlive: true,
          }),
        );
      } catch {
        // The connection is a convenience: waiters poll until it is there again.
      }
      this.options.onState(false);
      await sleep(heard ? AGAIN_MS : AGAIN_WHEN_DEAF_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Answers, when the connection is over, whether anything was ever heard on it. */
  private async listenOn(client: ServerConnection): Promise<boolean> {
    const over = new Promise<'over'>((resolve) => {
      const end = (): void => {
        resolve('over');
      };
      client.once('end', end);
      client.on('error', end);
      this.ending.signal.addEventListener('abort', end, { once: true });
    });
    const probe = new Probe();
    client.on('notification', ({ payload = '' }) => {
      if (!probe.heard(payload)) this.options.onChanges(payload.split(' '));
    });
    try {
      // A connection that is being made cannot be ended, only left behind; its own time-out closes it.
      const connected = client.connect().then(() => client.query(`LISTEN ${CHANNEL}`));
      if ((await Promise.race([connected, over])) === 'over') return true;
      return await this.relyOn(probe, over);
    } finally {
      await client.endWithin(END_MS);
    }
  }

  private async relyOn(probe: Probe, over: Promise<'over'>): Promise<boolean> {
    for (let first = true; ; first = false) {
      const comesBack = probe.comesBack((text) => this.options.notify(CHANNEL, text), PROBE_MS);
      const answer = await Promise.race([comesBack, over]);
      if (answer === 'over') return true;
      this.report(answer);
      if (!answer) return !first;
      if (first) this.options.onState(true);
      const pause = new AbortController();
      const paused = sleep(PROBE_EVERY_MS, undefined, { signal: pause.signal }).catch(() => undefined);
      const ended = await Promise.race([paused, over]);
      pause.abort();
      if (ended === 'over') return true;
    }
  }

  private report(arrives: boolean): void {
    if (arrives === !this.deaf) return;
    this.deaf = !arrives;
    if (arrives) this.options.log.info({}, 'Notifications of PostgreSQL arrive again');
    else {
      this.options.log.warn(
        {},
        'Notifications of PostgreSQL do not arrive on the connection that listens for them, as behind a pooler. Claims that wait ask the database by the clock. Give the database without the pooler as DATABASE_DIRECT_URL',
      );
    }
  }
}
