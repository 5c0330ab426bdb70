import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../e2e/stack/until';
import { API_KEY } from './servers/ledger-service';

export interface PatientCallersOptions {
  url: string;
  /** Callers at once. */
  callers?: number;
  /** Whoever waits longer than this for any answer was left hanging, in milliseconds. */
  answeredWithinMs?: number;
  /** When nothing is broken any more, the ledger must decide again within this time, in milliseconds. */
  recoversWithinMs?: number;
}

/** No call may take longer, whatever is broken: the service's own patience for its database, and what a busy machine adds. */
const ANSWERED_WITHIN_MS = 15_000;
const RECOVERS_WITHIN_MS = 15_000;
const DECISIONS = 5;

/**
 * Callers who never give up a call: they measure how long the service keeps its callers waiting. The load's own callers
 * give a call up after some seconds and would not notice that they are never answered.
 */
export class PatientCallers {
  /** The longest time that an answer took, in milliseconds. */
  longestMs = 0;
  /** The longest time until a claim was decided after everything was mended, in milliseconds. */
  longestRecoveryMs = 0;
  decided = 0;
  /** 503 with Retry-After: asked to come again. */
  putOff = 0;
  private readonly wrong: string[] = [];
  private readonly calls: Promise<void>[];
  private ended = false;
  private number = 0;

  constructor(private readonly options: PatientCallersOptions) {
    this.calls = Array.from({ length: options.callers ?? 2 }, () => this.call());
  }

  private async call(): Promise<void> {
    while (!this.ended) {
      await this.ask();
      await sleep(20);
    }
  }

  private async ask(): Promise<void> {
    const { url, answeredWithinMs = ANSWERED_WITHIN_MS } = this.options;
    const began = performance.now();
    try {
      const response = await fetch(`${url}/v1/claims`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ claims: [{ subject: `probe-${++this.number}`, operation: 'probe', leaseSeconds: 5 }] }),
        signal: AbortSignal.timeout(2 * answeredWithinMs),
      });
      const text = await response.text();
      if (response.status === 200 && isDecision(text)) this.decided++;
      else if (response.status === 503 && response.headers.has('retry-after')) this.putOff++;
      else this.wrong.push(`A patient caller was answered ${response.status}: ${text}`);
    } catch (error) {
      this.wrong.push(`A patient caller was not answered: ${String((error as Error).cause ?? error)}`);
    }
    const tookMs = performance.now() - began;
    this.longestMs = Math.max(this.longestMs, tookMs);
    if (tookMs > answeredWithinMs) this.wrong.push(`A caller waited ${Math.round(tookMs)} ms for an answer`);
  }

  /**
   * Call it when nothing is broken any more. Throws where the ledger does not decide again in time, where somebody was
   * left hanging until now, or was told anything but a decision or to come again.
   */
  async recovered(): Promise<void> {
    const began = performance.now();
    const before = this.decided;
    // More than one, since a caller may meet a sound connection by chance while others meet broken ones.
    await until(() => this.wrong.length > 0 || this.decided >= before + DECISIONS, {
      what: 'claims to be decided again',
      timeoutMs: this.options.recoversWithinMs ?? RECOVERS_WITHIN_MS,
      everyMs: 10,
    });
    if (this.wrong.length > 0) throw new Error(this.wrong.join('\n'));
    this.longestRecoveryMs = Math.max(this.longestRecoveryMs, performance.now() - began);
  }

  get note(): string {
    const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
    return `callers who never give up: ${this.decided} decisions, ${this.putOff} times 503, longest answer after ${seconds(this.longestMs)}, deciding again at most ${seconds(this.longestRecoveryMs)} after mending`;
  }

  async stop(): Promise<void> {
    this.ended = true;
    await Promise.all(this.calls);
  }
}

/** An answer can be a whole and its item an error. */
function isDecision(text: string): boolean {
  const { results } = JSON.parse(text) as { results?: { decision?: string }[] };
  return results?.[0]?.decision !== undefined;
}
