import { type ReceiptOutcome, type ResolveOperation } from '../history';
import { type HistoryRecorder } from '../record-history';

/** One action as callers of the API name it. */
export interface ActionName {
  readonly subject: string;
  readonly operation: string;
}

/** How a call is disturbed: its answer is lost on the way back, or its caller hangs up after so many milliseconds. */
export interface Disturbance {
  readonly answerIsLost: boolean;
  readonly hangUpAfterMs: number | null;
}

export const UNDISTURBED: Disturbance = { answerIsLost: false, hangUpAfterMs: null };

export interface CallerOptions {
  readonly name: string;
  readonly url: string;
  readonly apiKey: string;
  readonly recorder: HistoryRecorder;
  readonly disturbed: Disturbance;
}

/** What a call is marked with whose answer shall be lost: the way in between looks for it. */
export const LOSE_THE_ANSWER = 'x-lose-the-answer';

// Nobody waits longer than this; the service gives up earlier.
const PATIENCE_MS = 10_000;

type Maybe = 'maybe';
type Problem = { refused: string };
interface Response {
  status: number;
  // Answers are written down as they come.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
}

/** Calls the ledger over HTTP and has every call written down. One call of its own per method: repeating is the user's part. */
export class LedgerCaller {
  constructor(private readonly options: CallerOptions) {}

  private async send(method: string, route: string, body?: object): Promise<Response | Maybe> {
    const { url, apiKey, disturbed } = this.options;
    try {
      const response = await fetch(`${url}${route}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(disturbed.answerIsLost && { [LOSE_THE_ANSWER]: 'yes' }),
        },
        signal: AbortSignal.timeout(disturbed.hangUpAfterMs ?? PATIENCE_MS),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (response.status >= 500) {
        await response.arrayBuffer();
        return 'maybe';
      }
      return { status: response.status, body: await response.json() };
    } catch {
      return 'maybe';
    }
  }

  /** The one item of a call, its problem, or nobody knows. */
  private async one<A>(route: string, body: object): Promise<A | Problem | Maybe> {
    const response = await this.send('POST', route, body);
    if (response === 'maybe') return response;
    if (response.status !== 200) return { refused: response.body.code };
    const [item] = response.body.results;
    if (item.error === undefined) return item;
    return item.error.status >= 500 ? 'maybe' : { refused: item.error.code };
  }

  private record: HistoryRecorder['record'] = (key, caller, operation, make) =>
    this.options.recorder.record(key, caller, operation, make);

  claim(action: ActionName, requestToken: string, leaseSeconds: number, executionId: string) {
    const operation = { kind: 'claim', requestToken, leaseMs: leaseSeconds * 1000, holder: executionId } as const;
    return this.record(action.subject, this.options.name, operation, () =>
      this.one('/v1/claims', {
        requestToken,
        claims: [{ ...action, leaseSeconds, holder: { kind: 'test', executionId } }],
      }),
    );
  }

  register(action: ActionName) {
    return this.record(action.subject, this.options.name, { kind: 'register' }, () =>
      this.one('/v1/actions', { actions: [action] }),
    );
  }

  receipt(action: ActionName, claimToken: string, outcome: ReceiptOutcome, reference: string | null) {
    const references = reference === null ? [] : [reference];
    return this.record(action.subject, this.options.name, { kind: 'receipt', claimToken, outcome, references }, () =>
      this.one('/v1/receipts', { receipts: [{ claimToken, outcome, ...(reference !== null && { reference }) }] }),
    );
  }

  heartbeat(action: ActionName, claimToken: string) {
    return this.record(action.subject, this.options.name, { kind: 'heartbeat', claimToken }, () =>
      this.one('/v1/heartbeats', { heartbeats: [{ claimToken }] }),
    );
  }

  release(action: ActionName, claimToken: string) {
    return this.record(action.subject, this.options.name, { kind: 'release', claim: { claimToken } }, () =>
      this.one('/v1/releases', { releases: [{ claimToken }] }),
    );
  }

  releaseCall(action: ActionName, requestToken: string) {
    const operation = { kind: 'release', claim: { requestToken, position: 0 } } as const;
    return this.record(action.subject, this.options.name, operation, () =>
      this.one('/v1/releases', { releases: [{ requestToken, position: 0, ...action }] }),
    );
  }

  /** The execution holds no other action. */
  ended(action: ActionName, executionId: string) {
    return this.record(action.subject, this.options.name, { kind: 'ended', holder: executionId }, async () => {
      const response = await this.send('POST', '/v1/executions/ended', { holder: { kind: 'test', executionId } });
      if (response === 'maybe') return response;
      if (response.status !== 200) return { refused: response.body.code };
      const [abandoned] = response.body.abandoned;
      return abandoned === undefined ? { result: 'not_held' } : { result: 'abandoned', state: abandoned.state };
    });
  }

  /** As the list of actions shows it, for those who do not know its ID. */
  find(action: ActionName) {
    const key = encodeURIComponent(`default:${action.subject}:${action.operation}`);
    return this.record(action.subject, this.options.name, { kind: 'read' }, async () => {
      const response = await this.send('GET', `/v1/actions?key=${key}`);
      if (response === 'maybe') return response;
      return response.status === 200
        ? (response.body.actions[0] ?? { state: 'none' })
        : { refused: response.body.code };
    });
  }

  read(action: ActionName, actionId: string) {
    return this.record(action.subject, this.options.name, { kind: 'read' }, async () => {
      const response = await this.send('GET', `/v1/actions/${actionId}`);
      if (response === 'maybe') return response;
      if (response.status === 404) return { state: 'none' };
      return response.status === 200 ? response.body : { refused: response.body.code };
    });
  }

  resolve(action: ActionName, actionId: string, asked: Omit<ResolveOperation, 'kind'>) {
    const { outcome, attempt, historySeq, references = [] } = asked;
    return this.record(action.subject, this.options.name, { kind: 'resolve', ...asked }, () =>
      this.decided(actionId, 'resolution', { outcome, attempt, historySeq, references, reason: 'looked up' }),
    );
  }

  override(action: ActionName, actionId: string, fence: { attempt: number; historySeq: number }) {
    return this.record(action.subject, this.options.name, { kind: 'override', ...fence }, () =>
      this.decided(actionId, 'override', {
        ...fence,
        by: 'jo',
        secondPerson: 'kim',
        reason: 'the guest was not there',
      }),
    );
  }

  private async decided(actionId: string, what: string, body: object) {
    const response = await this.send('POST', `/v1/actions/${actionId}/${what}`, body);
    if (response === 'maybe') return response;
    if (response.status !== 200) return { refused: String(response.body.code) };
    const { result, action } = response.body;
    return { result, state: action.state, attempt: action.attempt, historySeq: action.historySeq };
  }
}
