/** What the editor itself calls, signed in as the owner. Answers are n8n's own, unwrapped from `data`. */
export class N8nSession {
  private cookie = '';

  constructor(private readonly url: string) {}

  /** The first person to open a new n8n becomes its owner. */
  async setUpOwner(): Promise<void> {
    await this.call('POST', '/rest/owner/setup', {
      email: owner.email,
      firstName: 'Workshop',
      lastName: 'Builder',
      password: owner.password,
    });
  }

  async signIn(): Promise<void> {
    await this.call('POST', '/rest/login', { emailOrLdapLoginId: owner.email, password: owner.password });
  }

  async createCredential(name: string, type: string, data: object): Promise<CredentialReference> {
    const created = await this.call<{ id: string }>('POST', '/rest/credentials', { name, type, data });
    return { id: created.id, name };
  }

  /** The *Test* that the editor runs when a credential is saved. */
  async testCredential(
    reference: CredentialReference,
    type: string,
    data: object,
  ): Promise<{ status: string; message: string }> {
    return this.call('POST', '/rest/credentials/test', { credentials: { ...reference, type, data } });
  }

  async createWorkflow(workflow: WorkflowFile): Promise<SavedWorkflow> {
    return this.call('POST', '/rest/workflows', { ...workflow, active: false });
  }

  async workflow(id: string): Promise<SavedWorkflow> {
    return this.call('GET', `/rest/workflows/${id}`);
  }

  async workflows(): Promise<SavedWorkflow[]> {
    return this.call('GET', '/rest/workflows');
  }

  /** The *Publish* button. */
  async publish(id: string): Promise<void> {
    const { versionId } = await this.workflow(id);
    await this.call('POST', `/rest/workflows/${id}/activate`, { versionId });
  }

  async unpublish(id: string): Promise<void> {
    await this.call('POST', `/rest/workflows/${id}/deactivate`, {});
  }

  /** *Execute workflow* in the editor. */
  async runManually(id: string, trigger: string): Promise<string> {
    const answer = await this.call<{ executionId: string }>('POST', `/rest/workflows/${id}/run`, {
      triggerToStartFrom: { name: trigger },
    });
    return answer.executionId;
  }

  async executions(workflowId: string): Promise<ExecutionSummary[]> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId }));
    const answer = await this.call<{ results: ExecutionSummary[] }>(
      'GET',
      `/rest/executions?filter=${filter}&limit=50`,
    );
    return answer.results;
  }

  async execution(id: string): Promise<ExecutionSummary & { data: string }> {
    return this.call('GET', `/rest/executions/${id}`);
  }

  /** The *Retry* button of the executions list. */
  async retry(executionId: string): Promise<ExecutionSummary> {
    return this.call('POST', `/rest/executions/${executionId}/retry`, { loadWorkflow: false });
  }

  /** What the node creator offers. */
  async nodeTypes(): Promise<{ name: string; displayName: string }[]> {
    const response = await fetch(`${this.url}/types/nodes.json`, { headers: { cookie: this.cookie } });
    return (await response.json()) as { name: string; displayName: string }[];
  }

  async call<T = unknown>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie: this.cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`n8n answered ${response.status} to ${method} ${path}: ${text.slice(0, 500)}`);
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    if (cookies.length > 0) this.cookie = cookies.join('; ');
    return (JSON.parse(text) as { data: T }).data;
  }
}

export const owner = { email: 'builder@example.com', password: 'Workshop-842' };

export interface CredentialReference {
  id: string;
  name: string;
}

export interface WorkflowNode {
  name: string;
  type: string;
  typeVersion: number;
  parameters: Record<string, unknown>;
  position: [number, number];
  id?: string;
  credentials?: Record<string, CredentialReference>;
  onError?: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
  retryOnFail?: boolean;
  maxTries?: number;
  /** Milliseconds. */
  waitBetweenTries?: number;
  disabled?: boolean;
  webhookId?: string;
}

export interface WorkflowFile {
  id?: string;
  name: string;
  nodes: WorkflowNode[];
  connections: Record<string, { main: ({ node: string; type: 'main'; index: number }[] | null)[] }>;
  settings?: Record<string, unknown>;
  pinData?: Record<string, { json: object }[]>;
}

export interface SavedWorkflow extends WorkflowFile {
  id: string;
  versionId: string;
  active: boolean;
}

export interface ExecutionSummary {
  id: string;
  status: 'new' | 'running' | 'success' | 'error' | 'crashed' | 'canceled' | 'waiting' | 'unknown';
  finished: boolean;
  mode: string;
  workflowId: string;
  retryOf?: string;
}
