import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Random } from './random';
import { API_KEY } from './servers/ledger-service';

/** How long those wait whose action ends, and those whose action does not, in milliseconds. */
const WAIT_MS = 20_000;
const WAIT_IN_VAIN_MS = 1_500;
/** From the end of the action to the waiter's answer, or beyond its time: far more than a busy machine needs, in milliseconds. */
const BOUND_MS = 8_000;
/** A timer may be early by the clock of another process. */
const EARLY_MS = 50;

const ENDINGS = ['confirmed', 'unknown', 'failed', 'released', 'nothing'] as const;
type Ending = (typeof ENDINGS)[number];

interface ClaimAnswer {
  decision: string;
  actionId: string;
  attempt: number;
  claimToken: string | null;
}

interface Waited {
  answer: ClaimAnswer;
  url: string;
  tookMs: number;
  at: number;
}

/**
 * Claims that wait in several replicas (`waitMs`) while the holder ends in every way that there is. Whatever wakes them,
 * or does not: each must be told what became of the action, and in time.
 */
export class WaitingCrowd {
  answered = 0;
  /** The longest time from the end of an action, or of a waiter's time, to its answer, in milliseconds. */
  longestMs = 0;
  /** Of the actions that are waited for now. */
  readonly actionIds = new Set<string>();
  private number = 0;

  constructor(private readonly urls: readonly string[]) {}

  /** One action for each ending, with a waiter at every replica. Answers what is wrong, in words. */
  async wait(random: Random): Promise<string[]> {
    const wrong = await Promise.all(random.shuffled(ENDINGS).map((ending) => this.one(ending, random.fork())));
    return wrong.flat();
  }

  private async one(ending: Ending, random: Random): Promise<string[]> {
    const subject = `crowd-${++this.number}-${ending}`;
    const held = await this.claim(random.pick(this.urls), subject, 0);
    if (held.decision !== 'proceed' || held.claimToken === null)
      return [`${subject}: its first claim was ${held.decision}`];
    this.actionIds.add(held.actionId);
    const waitMs = ending === 'nothing' ? WAIT_IN_VAIN_MS : WAIT_MS;
    const waiting = Promise.all([...this.urls, random.pick(this.urls)].map((url) => this.waiter(url, subject, waitMs)));
    await sleep(random.between(50, 1_000));
    const endedAt = ending === 'nothing' ? null : await this.end(ending, held.claimToken, random);
    const waited = await waiting;
    this.actionIds.delete(held.actionId);
    if (ending === 'nothing') await this.end('confirmed', held.claimToken, random);
    this.answered += waited.length;
    return wrongOf(ending, waited)
      .concat(...waited.map((one) => this.late(one, waitMs, endedAt)))
      .map((words) => `${subject}: ${words}`);
  }

  /** One that is told to proceed does so and confirms, so that the others can be told. */
  private async waiter(url: string, subject: string, waitMs: number): Promise<Waited> {
    const began = performance.now();
    const answer = await this.claim(url, subject, waitMs);
    const at = performance.now();
    if (answer.decision === 'proceed' && answer.claimToken !== null) {
      await this.ask(url, '/v1/receipts', {
        receipts: [{ claimToken: answer.claimToken, outcome: 'confirmed', reference: subject }],
      });
    }
    return { answer, url, tookMs: at - began, at };
  }

  /** Answers when the ledger had said so. */
  private async end(ending: Exclude<Ending, 'nothing'>, claimToken: string, random: Random): Promise<number> {
    const url = random.pick(this.urls);
    if (ending === 'released') await this.ask(url, '/v1/releases', { releases: [{ claimToken }] });
    else await this.ask(url, '/v1/receipts', { receipts: [{ claimToken, outcome: ending }] });
    return performance.now();
  }

  private late({ answer, url, tookMs, at }: Waited, waitMs: number, endedAt: number | null): string[] {
    // Who waits for a second holder is told when that one has ended.
    const lateMs = endedAt === null ? tookMs - waitMs : at - endedAt;
    this.longestMs = Math.max(this.longestMs, lateMs);
    return [
      ...(lateMs > BOUND_MS ? [`told ${answer.decision} at ${url} ${Math.round(lateMs)} ms late`] : []),
      ...(endedAt === null && tookMs < waitMs - EARLY_MS ? [`sent away after ${Math.round(tookMs)} ms`] : []),
    ];
  }

  private claim(url: string, subject: string, waitMs: number): Promise<ClaimAnswer> {
    return this.ask<ClaimAnswer>(url, '/v1/claims', {
      requestToken: randomUUID(),
      waitMs,
      claims: [{ subject, operation: 'waited-for', leaseSeconds: 300 }],
    });
  }

  /** Asks once: nothing that is broken here may refuse an answer. */
  private async ask<R>(url: string, route: string, body: object): Promise<R> {
    const response = await fetch(`${url}${route}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(WAIT_MS + 3 * BOUND_MS),
    });
    const answer = (await response.json()) as { results?: (R & { error?: object })[] };
    const [result] = answer.results ?? [];
    if (!response.ok || result === undefined || result.error !== undefined) {
      throw new Error(`${route} answered ${response.status}: ${JSON.stringify(answer)}`);
    }
    return result;
  }
}

function wrongOf(ending: Ending, waited: readonly Waited[]): string[] {
  const told = waited.map(({ answer }) => answer.decision).sort();
  const others = waited.length - 1;
  const all = (decision: string, count: number): string[] => Array.from({ length: count }, () => decision);
  const expected: Record<Ending, string[]> = {
    confirmed: all('already_done', waited.length),
    unknown: all('unknown', waited.length),
    failed: [...all('already_done', others), 'proceed'],
    released: [...all('already_done', others), 'proceed'],
    nothing: all('in_progress', waited.length),
  };
  return told.join() === expected[ending].join() ? [] : [`those who waited were told ${told.join(', ')}`];
}
