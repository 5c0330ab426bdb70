import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** Which call about which action is held, and whether before the ledger hears of it or before n8n hears the answer. */
export interface Hold {
  subject: string;
  operation: string;
  call: 'claim' | 'receipt';
  at: 'request' | 'answer';
}

interface Call {
  call: Hold['call'] | undefined;
  actions: { subject: string; operation: string }[];
}

/**
 * Stands between n8n and the ledger and hands everything on as it is, except what it is told to hold: so a test can have
 * an execution stand still at a step and kill it there. A call whose caller has died is dropped, never handed on later.
 */
export class LedgerGate {
  private holds: Hold[] = [];
  private held: { hold: Hold; goOn: () => void }[] = [];
  /** Receipts name the claim only; whose it is was seen when the claim was answered. */
  private readonly claimed = new Map<string, { subject: string; operation: string }>();

  private constructor(
    private readonly server: Server,
    private readonly ledgerUrl: string,
  ) {}

  static async start(ledgerUrl: string): Promise<LedgerGate> {
    const server = createServer();
    const gate = new LedgerGate(server, ledgerUrl);
    server.on('request', (request, response) => {
      // The ledger is down, or the caller is: what n8n gets is a connection that breaks.
      gate.pass(request, response).catch(() => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return gate;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  hold(hold: Hold): void {
    this.holds.push(hold);
  }

  isHeld(hold: Hold): boolean {
    return this.held.some((one) => same(one.hold, hold));
  }

  /** Whether a call about this subject is held. */
  holdsAny(subject: string): boolean {
    return this.held.some(({ hold }) => hold.subject === subject);
  }

  /** Whether no call is held. */
  get isIdle(): boolean {
    return this.held.length === 0;
  }

  /** Lets every further call pass; what is held stays so. */
  holdNoMore(): void {
    this.holds = [];
  }

  /** Holds nothing more, and what is held of callers that still live goes on. */
  open(): void {
    this.holdNoMore();
    for (const { goOn } of this.held.splice(0)) goOn();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(request);
    const call = this.read(request.url ?? '/', body);
    await this.holdBack(call, 'request', response);
    const answer = await fetch(`${this.ledgerUrl}${request.url}`, {
      method: request.method,
      headers: forwarded(request),
      ...(body.length > 0 && { body }),
    });
    const answered = Buffer.from(await answer.arrayBuffer());
    this.remember(call, answered);
    await this.holdBack(call, 'answer', response);
    response.writeHead(answer.status, ofTheMessage(answer.headers)).end(answered);
  }

  /** @throws when the caller is gone before the gate opens */
  private async holdBack({ call, actions }: Call, at: Hold['at'], response: ServerResponse): Promise<void> {
    const hold = this.holds.find(
      (one) => one.call === call && one.at === at && actions.some((action) => sameAction(action, one)),
    );
    if (!hold) return;
    await new Promise<void>((goOn, dropped) => {
      const entry = { hold, goOn };
      this.held.push(entry);
      response.once('close', () => {
        this.held = this.held.filter((one) => one !== entry);
        dropped(new Error('The caller is gone'));
      });
    });
  }

  private read(path: string, body: Buffer): Call {
    if (path === '/v1/claims') {
      const { claims } = JSON.parse(body.toString('utf8')) as { claims: Call['actions'] };
      return { call: 'claim', actions: claims };
    }
    if (path === '/v1/receipts') {
      const { receipts } = JSON.parse(body.toString('utf8')) as { receipts: { claimToken: string }[] };
      const actions = receipts.flatMap(({ claimToken }) => this.claimed.get(claimToken) ?? []);
      return { call: 'receipt', actions };
    }
    return { call: undefined, actions: [] };
  }

  private remember({ call, actions }: Call, answered: Buffer): void {
    if (call !== 'claim') return;
    const { results } = JSON.parse(answered.toString('utf8')) as { results?: { claimToken?: string | null }[] };
    for (const [index, result] of (results ?? []).entries()) {
      const action = actions[index];
      if (result.claimToken && action) this.claimed.set(result.claimToken, action);
    }
  }
}

function sameAction(one: { subject: string; operation: string }, other: { subject: string; operation: string }) {
  return one.subject === other.subject && one.operation === other.operation;
}

function same(one: Hold, other: Hold): boolean {
  return sameAction(one, other) && one.call === other.call && one.at === other.at;
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Without the headers that belong to one connection and are made anew; nothing is compressed on the way. */
function forwarded(request: IncomingMessage): Record<string, string> {
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { ...ofTheMessage(headers), 'accept-encoding': 'identity' };
}

function ofTheMessage(headers: Iterable<[string, string]>): Record<string, string> {
  const ofTheConnection = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];
  return Object.fromEntries([...headers].filter(([name]) => !ofTheConnection.includes(name)));
}
