import { setTimeout as sleep } from 'node:timers/promises';

import { Client, type ClientConfig } from 'pg';

import { UnfitServerError } from './database-errors';
import { checkServer, type Lineage } from './server-facts';

/** How long after the first host that may decide the others may still take to answer, in milliseconds. */
const OTHERS_MS = 1_000;
/** How old what is known of the hosts may get while they are in use, in milliseconds. */
const FRESH_MS = 5_000;

interface Found {
  host: ClientConfig;
  lineage: Lineage | null;
}

/**
 * Which of several hosts is the primary. A host that can be written to may still be a *former* primary that nobody told
 * of the promotion: of those that can be written to, the one with the newest timeline is it, and a server on an older
 * timeline than one that was met decides nothing more here. Whom this process cannot reach it cannot know of: the
 * cluster's own fencing has to end a former primary that is cut off together with it.
 */
export class PrimaryChoice {
  private chosen: ClientConfig | undefined;
  /** The newest timeline that was met of each cluster. */
  private readonly newest = new Map<string, number>();
  private survey: Promise<void> | undefined;
  private surveyedAt = -Infinity;

  /** @param settings of the connections that ask the hosts what they are */
  constructor(
    private readonly hosts: readonly ClientConfig[],
    private readonly settings: ClientConfig,
  ) {
    if (hosts.length === 1) this.chosen = hosts[0];
  }

  /** The host for the next connection. */
  get host(): ClientConfig {
    return this.chosen ?? this.hosts[0] ?? {};
  }

  /** Resolves when there is a host to connect to. With several, all are asked now and then, while this one is used. */
  async ready(): Promise<void> {
    if (this.hosts.length === 1) return;
    if (this.chosen === undefined) {
      await this.lookAgain();
      return;
    }
    if (performance.now() - this.surveyedAt > FRESH_MS) {
      this.surveyedAt = performance.now();
      // The present choice holds until another is found.
      this.lookAgain().catch(() => undefined);
    }
  }

  /**
   * Asks all hosts.
   *
   * @returns whether there is a choice at all
   * @throws why none of them may decide
   */
  async lookAgain(): Promise<boolean> {
    if (this.hosts.length === 1) return false;
    this.survey ??= this.ask().finally(() => {
      this.surveyedAt = performance.now();
      this.survey = undefined;
    });
    await this.survey;
    return true;
  }

  /** A server that may decide was met. @throws {UnfitServerError} for a former primary */
  met(lineage: Lineage | null): void {
    if (lineage === null) return;
    if (this.isFormer(lineage)) {
      throw new UnfitServerError(
        `This PostgreSQL server is a former primary: it is on timeline ${lineage.timeline}, and one on timeline ${this.newest.get(lineage.cluster)} was promoted after it. Stop it, or make it a standby`,
      );
    }
    this.newest.set(lineage.cluster, lineage.timeline);
  }

  /** Whether a newer primary of its cluster was met. */
  isFormer({ cluster, timeline }: Lineage): boolean {
    return timeline < (this.newest.get(cluster) ?? 0);
  }

  private async ask(): Promise<void> {
    const found: Found[] = [];
    const failures: unknown[] = [];
    let foundOne = (): void => undefined;
    const first = new Promise<void>((resolve) => (foundOne = resolve));
    const all = this.hosts.map(async (host) => {
      try {
        found.push({ host, lineage: await this.check(host) });
        foundOne();
      } catch (error) {
        failures.push(error);
      }
    });
    const asked = Promise.all(all);
    const pause = new AbortController();
    const others = first.then(() => sleep(OTHERS_MS, undefined, { signal: pause.signal }));
    // As long as nothing is known, whoever answers late may be the newer one: each has until its own time-out.
    await (this.newest.size === 0 ? asked : Promise.race([asked, others])).finally(() => {
      pause.abort();
    });
    others.catch(() => undefined);
    const [best] = found
      .filter(({ lineage }) => lineage === null || !this.isFormer(lineage))
      .sort((a, b) => timelineOf(b) - timelineOf(a) || this.hosts.indexOf(a.host) - this.hosts.indexOf(b.host));
    if (best === undefined) throw reason(failures, found);
    this.met(best.lineage);
    this.chosen = best.host;
  }

  private async check(host: ClientConfig): Promise<Lineage | null> {
    const client = new Client({ ...this.settings, ...host });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await checkServer(client);
    } finally {
      // What does not answer is left to its own time-outs.
      void client.end().catch(() => undefined);
    }
  }
}

const timelineOf = ({ lineage }: Found): number => lineage?.timeline ?? 0;

/** What tells the reader most: a server that was met and refused goes before one that was not met. */
function reason(failures: readonly unknown[], found: readonly Found[]): unknown {
  if (found.length > 0) return new UnfitServerError('Only former primaries can be reached: a newer one was promoted');
  return failures.find((error) => error instanceof UnfitServerError) ?? failures[0];
}
