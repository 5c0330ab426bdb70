import { randomUUID } from 'node:crypto';

import { Client } from 'pg';

import { type PausePoint } from '../../../ledger-service/src/store/pause-point';
import { API_KEY } from './ledger-service';

interface Claimed {
  actionId: string;
  claimToken: string;
}

/** Calls that make a service pass a point. The service may end or stop in the midst of any: then they fail, or wait. */
export class Provocations {
  constructor(
    private readonly url: string,
    private readonly databaseUrl: string,
  ) {}

  /** What makes the service pass this point, once or more; the sweep comes by itself. */
  for(point: PausePoint): () => Promise<unknown> {
    return this.special[point] ?? (() => this.claimAndReceipt());
  }

  private readonly special: Partial<Record<PausePoint, () => Promise<unknown>>> = {
    'operations looked for': () => this.claim({ operation: `named-${randomUUID()}` }),
    'operations made': () => this.claim({ operation: `named-${randomUUID()}` }),
    'batch failed': () => this.losesItsConnection(),
    'batch tried again': () => this.losesItsConnection(),
    'due actions leased': () => this.takeDue(),
    'operation of the lease found': () => this.takeDue(),
    'due actions taken': () => this.takeDue(),
    'held claims found': () => this.endExecution(),
    'end of execution recorded': () => this.endExecution(),
    'policy ensured': () => this.setPolicy(),
    'policy found': () => this.setPolicy(),
    'policy saved': () => this.setPolicy(),
    'first claims answered': () => this.waits(),
    woken: () => this.waits(),
    'claims answered again': () => this.waits(),
    'action to resolve found': () => this.resolve(),
    'resolution recorded': () => this.resolve(),
    'action to override found': () => this.override(),
    'override recorded': () => this.override(),
  };

  private async ask(method: string, path: string, body: object): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.json();
  }

  /** Leases are short: what is left in progress is swept before the run is judged at rest. */
  private async claim(more: object = {}): Promise<Claimed> {
    const claim = { subject: `provoked-${randomUUID()}`, operation: 'provoke', leaseSeconds: 2, ...more };
    const { results } = (await this.ask('POST', '/v1/claims', { claims: [claim] })) as { results: Claimed[] };
    return results[0]!;
  }

  private receipt(claimToken: string, outcome: string): Promise<unknown> {
    return this.ask('POST', '/v1/receipts', { receipts: [{ claimToken, outcome }] });
  }

  private async claimAndReceipt(): Promise<void> {
    const { claimToken } = await this.claim({ event: { id: randomUUID() }, subjectVersion: { value: 1 } });
    await this.receipt(claimToken, 'confirmed');
  }

  private takeDue(): Promise<unknown> {
    return this.ask('POST', '/v1/reconciliations/lease', { operation: 'provoke', limit: 1, leaseSeconds: 1 });
  }

  private endExecution(): Promise<unknown> {
    const holder = { kind: 'n8n', instanceId: 'provocation', workflowId: 'provoke', executionId: randomUUID() };
    return this.ask('POST', '/v1/executions/ended', { holder });
  }

  private setPolicy(): Promise<unknown> {
    return this.ask('PUT', `/v1/operations/named-${randomUUID()}`, { leaseSeconds: 60 });
  }

  private async waits(): Promise<void> {
    const claim = { subject: `provoked-${randomUUID()}`, operation: 'provoke', leaseSeconds: 2 };
    await this.claim(claim);
    await this.ask('POST', '/v1/claims', { claims: [claim], waitMs: 100 });
  }

  private async resolve(): Promise<void> {
    const { actionId, claimToken } = await this.claim();
    await this.receipt(claimToken, 'unknown');
    const found = { outcome: 'happened', reference: actionId, attempt: 1, historySeq: 2 };
    await this.ask('POST', `/v1/actions/${actionId}/resolution`, found);
  }

  private async override(): Promise<void> {
    const { actionId, claimToken } = await this.claim();
    await this.receipt(claimToken, 'confirmed');
    const decided = { attempt: 1, historySeq: 2, by: 'Ada', secondPerson: 'Grace', reason: 'provoked' };
    await this.ask('POST', `/v1/actions/${actionId}/override`, decided);
  }

  /** Its statement waits for a row that is held, and the database ends its connection meanwhile. */
  private async losesItsConnection(): Promise<void> {
    const { actionId, claimToken } = await this.claim();
    const database = new Client({ connectionString: this.databaseUrl });
    await database.connect();
    try {
      await database.query('BEGIN');
      await database.query('SELECT FROM action_ledger.actions WHERE id = $1 FOR UPDATE', [actionId]);
      const recorded = this.receipt(claimToken, 'confirmed').then(
        () => true,
        () => true,
      );
      for (;;) {
        const { rows } = await database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))`,
        );
        if (rows.length > 0) break;
        if (await Promise.race([recorded, new Promise<false>((resolve) => setTimeout(resolve, 5, false))])) break;
      }
      await database.query('COMMIT');
      await recorded;
    } finally {
      await database.end();
    }
  }
}
