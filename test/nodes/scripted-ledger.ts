import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from './json';

export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: JsonObject & { claims: Json[]; receipts: Json[]; releases: Json[] };
}

export type Answer = { status: number; body?: unknown; headers?: Record<string, string> } | 'hang' | 'reset';
export type Script = (received: Received, earlier: number) => Answer | Promise<Answer>;

export const LEDGER_ID = 'ledger-of-the-test';

/** A ledger that answers as a test wants, wrongly above all; it keeps what it was asked. */
export class ScriptedLedger {
  readonly received: Received[] = [];

  private readonly server: Server;

  private script: Script = () => ({ status: 500, body: {} });

  private constructor() {
    this.server = createServer((request, response) => {
      void this.handle(request, response);
    });
  }

  static async start(): Promise<ScriptedLedger> {
    const ledger = new ScriptedLedger();
    await new Promise<void>((resolve) => ledger.server.listen(0, '127.0.0.1', resolve));
    return ledger;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  answer(script: Script): void {
    this.received.length = 0;
    this.script = script;
  }

  asked(path: string): Received[] {
    return this.received.filter((request) => request.path === path);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const url = new URL(request.url ?? '/', 'http://ledger');
    const received: Received = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    const earlier = this.asked(received.path).length;
    this.received.push(received);
    const answer = await this.script(received, earlier);
    if (answer === 'hang') return;
    if (answer === 'reset') {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
  }
}

interface Asked {
  account?: string;
  subject: string;
  operation: string;
  version?: number;
}

function writtenKey({ account = 'default', subject, operation, version = 1 }: Asked): string {
  const parts = [account, subject, operation].map((part) =>
    part.normalize('NFC').replace(/[%:]/g, (sign) => (sign === '%' ? '%25' : '%3A')),
  );
  return [...parts, ...(version === 1 ? [] : [`v${version}`])].join(':');
}

/** A complete permission, as the service gives it. */
export function proceed(claim: Asked, token = `token-${claim.subject}`): object {
  return {
    decision: 'proceed',
    reason: 'Nobody has done this.',
    actionId: `id-${claim.subject}`,
    actionKey: writtenKey(claim),
    state: 'in_progress',
    attempt: 1,
    historySeq: 1,
    claimToken: token,
    idempotencyKey: '4d7a9c1e-1111-4222-8333-444455556666',
    leaseExpiresAt: '2030-01-01T00:00:00.000Z',
    leaseMs: 300_000,
    repeat: false,
    replayed: false,
    receipt: null,
    event: null,
    unknown: null,
    newer: null,
    operationConfigured: true,
  };
}

export function held(claim: Asked, decision: string, more: object = {}): object {
  return {
    ...proceed(claim),
    decision,
    reason: `It is ${decision}.`,
    state: decision === 'already_done' ? 'confirmed' : decision,
    claimToken: null,
    idempotencyKey: null,
    leaseExpiresAt: null,
    leaseMs: null,
    ...more,
  };
}

export function batch(results: unknown[]): Answer {
  return { status: 200, body: { ledgerId: LEDGER_ID, results } };
}

/** A ledger in good order: grants each claim, takes each receipt, releases, and hears of ended executions. */
export const agreeable: Script = ({ path, body }) => {
  switch (path) {
    case '/v1/claims':
      return batch(body.claims.map((claim: Json) => proceed(claim)));
    case '/v1/receipts':
      return batch(
        body.receipts.map(({ claimToken, outcome }: Json) => ({
          result: 'recorded',
          reason: 'Recorded.',
          state: outcome,
          late: false,
          replayed: false,
          contradiction: null,
          actionId: `id-${claimToken}`,
          actionKey: `default:${claimToken}`,
          attempt: 1,
          historySeq: 2,
        })),
      );
    case '/v1/releases':
      return batch(body.releases.map(() => ({ result: 'released', state: 'pending', replayed: false })));
    case '/v1/executions/ended':
      return { status: 200, body: { ledgerId: LEDGER_ID, abandoned: [] } };
    default:
      return { status: 404, body: { code: 'not_found', title: 'No such call', status: 404 } };
  }
};
