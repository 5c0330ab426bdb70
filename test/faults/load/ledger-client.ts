import { setTimeout as sleep } from 'node:timers/promises';

import {
  type AnswerTo,
  type ClaimAnswer,
  type HistoryRecorder,
  type Operation,
  type ReceiptAnswer,
} from '../../model/checker';
import { API_KEY } from '../servers/ledger-service';
import { type Receipt } from './receipt';

interface Answered {
  status: number;
  body: unknown;
}

/** A claim as the load makes them. */
export interface Claim {
  subject: string;
  operation: string;
  leaseSeconds: number;
  event: { source: string; id: string; occurredAt: string };
  details: object;
  holder: { kind: string; executionId: string };
}

export interface ReceiptOf extends Receipt {
  subject: string;
  claimToken: string;
}

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
  /** How long one call may take before it counts as lost, in milliseconds. */
  callMs: number;
  /** How long one thing is asked again, in milliseconds. */
  patienceMs: number;
  /** Writes down every try, for the checker of histories. */
  recorder: HistoryRecorder;
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

  /** Results in the order of the claims. */
  async claims(claims: readonly Claim[], requestToken: string): Promise<ClaimResult[]> {
    return this.items('/v1/claims', { requestToken, claims }, (answered) =>
      claims.map(({ subject, leaseSeconds, details, holder }, position) =>
        this.witness(
          subject,
          {
            kind: 'claim',
            requestToken,
            position,
            leaseMs: leaseSeconds * 1_000,
            details: JSON.stringify(details),
            holder: holder.executionId,
          },
          answered<ClaimAnswer>(position),
        ),
      ),
    );
  }

  /** Results in the order of the receipts. */
  async receipts(receipts: readonly ReceiptOf[]): Promise<ReceiptResult[]> {
    const body = {
      receipts: receipts.map(({ claimToken, outcome, reference, cause }) => ({
        claimToken,
        outcome,
        reference,
        cause,
      })),
    };
    return this.items('/v1/receipts', body, (answered) =>
      receipts.map(({ subject, claimToken, outcome, reference }, position) =>
        this.witness(
          subject,
          { kind: 'receipt', claimToken, outcome, references: reference === undefined ? [] : [reference] },
          answered<ReceiptAnswer>(position),
        ),
      ),
    );
  }

  private async items<R extends object>(
    route: string,
    body: object,
    witness: (answered: <A>(position: number) => () => Promise<A | 'maybe'>) => readonly Promise<unknown>[],
  ): Promise<R[]> {
    type Results = { results: (R & { error?: object })[] };
    const { results } = await this.ask<Results>('POST', route, body, (tried) => {
      const answered =
        <A>(position: number) =>
        async (): Promise<A | 'maybe'> => {
          const answer = await tried.catch(() => null);
          return answer?.status === 200 ? ((answer.body as Results).results[position] as A) : 'maybe';
        };
      return Promise.all(witness(answered));
    });
    const refused = results.find(({ error }) => error !== undefined);
    if (refused !== undefined) throw new Error(`${route} refused an item: ${JSON.stringify(refused.error)}`);
    return results;
  }

  private witness<O extends Operation>(
    subject: string,
    operation: O,
    answered: () => Promise<AnswerTo<O> | 'maybe'>,
  ): Promise<unknown> {
    return this.options.recorder.record(subject, 'load', operation, answered);
  }

  /** Asks until there is an answer. Anything but a decision or a 503 is a fault of the ledger, and thrown. */
  async ask<T>(
    method: string,
    route: string,
    body?: object,
    onTry: (tried: Promise<Answered>) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<T> {
    const { patienceMs, onAnswered } = this.options;
    const started = performance.now();
    let last = 'it was not asked';
    let pauseMs = FIRST_PAUSE_MS;
    while (performance.now() - started < patienceMs) {
      const tried = this.once(method, route, body);
      const written = onTry(tried);
      const answer = await tried.catch((error: unknown) => {
        last = String((error as Error).cause ?? error);
        return null;
      });
      await written;
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

  private async once(method: string, route: string, body?: object): Promise<Answered> {
    const urls = this.options.urls();
    const url = urls[this.turn++ % urls.length];
    const response = await fetch(`${url}${route}`, {
      method,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(this.options.callMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }
}
