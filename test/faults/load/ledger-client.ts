import { setTimeout as sleep } from 'node:timers/promises';

import { type Receipt } from './receipt';

/** What the load needs of an answer to a claim. */
export interface ClaimResult {
  decision: string;
  attempt: number;
  claimToken: string | null;
  idempotencyKey: string | null;
}

export interface ReceiptResult {
  result: string;
  state: string;
}

export interface ClientOptions {
  /** Read for every call: services come and go. */
  urls: () => readonly string[];
  apiKey: string;
  /** How long one call may take before it counts as lost, in milliseconds. */
  callMs: number;
  /** How long one thing is asked again, in milliseconds. */
  patienceMs: number;
  /** Told how long something was asked until the answer helped, in milliseconds. */
  onAnswered: (waitedMs: number) => void;
}

/** Between two tries, in milliseconds: soon at first, and not so often that asking itself is what keeps the machine busy. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 400;

/** The ledger did not say within the patience: the worker goes away without acting. */
export class NoAnswer extends Error {}

/** A caller as the documentation asks for one: it repeats what was not answered, with the same request token, and nothing else. */
export class LedgerClient {
  private turn = 0;

  constructor(private readonly options: ClientOptions) {}

  async claim(claim: object, requestToken: string): Promise<ClaimResult> {
    return this.one('/v1/claims', { requestToken, claims: [claim] });
  }

  async receipt(claimToken: string, receipt: Receipt): Promise<ReceiptResult> {
    return this.one('/v1/receipts', { receipts: [{ claimToken, ...receipt }] });
  }

  private async one<R>(route: string, body: object): Promise<R> {
    const { results } = await this.ask<{ results: (R & { error?: object })[] }>('POST', route, body);
    const [result] = results;
    if (result === undefined || result.error !== undefined) {
      throw new Error(`${route} refused an item: ${JSON.stringify(result?.error)}`);
    }
    return result;
  }

  /** Asks until there is an answer. Anything but a decision or a 503 is a fault of the ledger, and thrown. */
  async ask<T>(method: string, route: string, body?: object): Promise<T> {
    const { patienceMs, onAnswered } = this.options;
    const started = performance.now();
    let last = 'it was not asked';
    let pauseMs = FIRST_PAUSE_MS;
    while (performance.now() - started < patienceMs) {
      const answer = await this.once(method, route, body).catch((error: unknown) => {
        last = String((error as Error).cause ?? error);
        return null;
      });
      if (answer?.status === 200) {
        onAnswered(performance.now() - started);
        return answer.body as T;
      }
      if (answer !== null && answer.status !== 503) {
        throw new Error(`${route} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      }
      if (answer !== null) last = `503: ${JSON.stringify(answer.body)}`;
      await sleep(pauseMs);
      pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    }
    throw new NoAnswer(`${route} gave no answer within ${patienceMs} ms (last: ${last})`);
  }

  private async once(method: string, route: string, body?: object): Promise<{ status: number; body: unknown }> {
    const urls = this.options.urls();
    const url = urls[this.turn++ % urls.length];
    const response = await fetch(`${url}${route}`, {
      method,
      headers: { authorization: `Bearer ${this.options.apiKey}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(this.options.callMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }
}
