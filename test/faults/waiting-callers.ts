import { randomUUID } from 'node:crypto';

import { until } from '../e2e/stack/until';
import { API_KEY } from './servers/ledger-service';

/** How long a waiter would wait if nobody told it anything, in milliseconds. */
const WAIT_MS = 20_000;

interface Answer {
  decision: string;
  claimToken: string | null;
}

/**
 * Claims that wait for somebody else's action (`waitMs`): they must be told as soon as it is confirmed, whichever way the
 * service learns of it, and not when their own time is over.
 */
export class WaitingCallers {
  /** The longest time from the receipt's answer to the waiter's, in milliseconds. */
  longestMs = 0;
  private number = 0;

  /** A waiter at each of the services; throws where one is not told. */
  async served(urls: readonly string[]): Promise<void> {
    for (const [at, url] of urls.entries()) {
      // The holder is at another service, where there is one: its replica is told by the database.
      await this.one(url, urls[(at + 1) % urls.length] ?? url);
    }
  }

  private async one(waitingAt: string, heldAt: string): Promise<void> {
    const subject = `waited-for-${++this.number}`;
    const { decision, claimToken } = await claim(heldAt, subject, 0);
    if (decision !== 'proceed') throw new Error(`The claim that others wait for was answered ${decision}`);
    const waiter = claim(waitingAt, subject, WAIT_MS);
    // Lets the waiter be there first; nothing depends on how long that takes.
    await claim(waitingAt, subject, 0);
    await ask(heldAt, '/v1/receipts', { receipts: [{ claimToken, outcome: 'confirmed', reference: subject }] });
    const began = performance.now();
    const told = await waiter;
    const tookMs = performance.now() - began;
    this.longestMs = Math.max(this.longestMs, tookMs);
    if (told.decision !== 'already_done' || tookMs >= WAIT_MS) {
      throw new Error(`A waiter was told ${told.decision} after ${Math.round(tookMs)} ms`);
    }
  }
}

async function claim(url: string, subject: string, waitMs: number): Promise<Answer> {
  const claims = [{ subject, operation: 'waited-for', leaseSeconds: 60 }];
  return ask<Answer>(url, '/v1/claims', { requestToken: randomUUID(), waitMs, claims });
}

/** As the documentation asks for: the same request again until there is an answer. */
async function ask<R>(url: string, route: string, body: object): Promise<R> {
  return until(
    async () => {
      const response = await fetch(`${url}${route}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(2 * WAIT_MS),
      });
      const answer = (await response.json()) as { results?: R[] };
      return response.ok ? answer.results?.[0] : undefined;
    },
    { what: `an answer from ${route}`, timeoutMs: 60_000, everyMs: 100 },
  );
}
