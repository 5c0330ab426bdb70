/** The ledger as a support person's tools see it: what does it say about one action? */
export class LedgerApi {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {}

  /** The action of an order (account `default` unless told otherwise), or `undefined` if the ledger has none. */
  async action(subject: string, operation: string): Promise<ActionView | undefined> {
    const query = new URLSearchParams({ subject, operation });
    const { actions } = await this.call<{ actions: ActionView[] }>('GET', `/v1/actions?${query.toString()}`);
    if (actions.length > 1) throw new Error(`${actions.length} actions are called ${operation} for ${subject}`);
    const [found] = actions;
    return found && this.call<ActionView>('GET', `/v1/actions/${found.actionId}`);
  }

  async history(actionId: string): Promise<{ entries: HistoryEntry[]; verified: boolean }> {
    return this.call('GET', `/v1/actions/${actionId}/history`);
  }

  async setPolicy(operation: string, policy: object): Promise<void> {
    const current = await this.call<{ configured: boolean; revision: unknown }>('GET', `/v1/operations/${operation}`);
    await this.call('PUT', `/v1/operations/${operation}`, {
      ...policy,
      ...(current.configured && { revision: current.revision }),
    });
  }

  async call<T = unknown>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The ledger answered ${response.status} to ${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }
}

export interface ActionView {
  actionId: string;
  actionKey: string;
  state: 'pending' | 'in_progress' | 'confirmed' | 'failed' | 'unknown';
  attempt: number;
  historySeq: number;
  cause: string | null;
  contradictions: unknown[];
  receipt: { reference: string | null } | null;
  references: string[];
  nextCheckAt: string | null;
  owner: string | null;
  claimable: boolean;
  testRun: boolean;
  events: { source: string; id: string; deliveries: number }[];
  summary: string;
}

export interface HistoryEntry {
  seq: number;
  kind: string;
  fromState: string | null;
  toState: string;
  attempt: number;
  facts: Record<string, unknown>;
}
