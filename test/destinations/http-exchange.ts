import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { isBehaviourName, type Behaviour } from './behaviour';
import type { Reply } from './reply';

/** A request as the destinations read it. */
export interface Call {
  method: string;
  url: URL;
  body: Record<string, unknown>;
  idempotencyKey: string | null;
  /** The behaviour that the request itself asked for, in `x-behaviour: late; delayMs=500`. */
  wanted: Behaviour | null;
  response: ServerResponse;
}

export interface HttpDestination {
  port: number;
  url: string;
  close: () => Promise<void>;
}

export async function listen(handle: (call: Call) => Promise<void>): Promise<HttpDestination> {
  const server = createServer((request, response) => {
    readCall(request, response)
      .then(handle)
      .catch((error: unknown) => {
        if (response.headersSent || response.destroyed) return;
        answer(response, 400, { message: error instanceof Error ? error.message : String(error) });
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, close: () => close(server) };
}

/** Hands a reply to whoever asked; who has hung up gets none. */
export function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'silence' || response.destroyed) return;
  if (reply === 'reset') response.socket?.resetAndDestroy();
  else if (reply.body === null) response.writeHead(reply.status).end();
  else answer(response, reply.status, reply.body);
}

export function answer(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readCall(request: IncomingMessage, response: ServerResponse): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    method: request.method ?? 'GET',
    url: new URL(request.url ?? '/', 'http://destination'),
    body: text ? (JSON.parse(text) as Record<string, unknown>) : {},
    idempotencyKey: headerText(request, 'idempotency-key'),
    wanted: readWanted(headerText(request, 'x-behaviour')),
    response,
  };
}

function headerText(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

function readWanted(header: string | null): Behaviour | null {
  if (!header) return null;
  const [name, ...settings] = header.split(';').map((part) => part.trim());
  if (!isBehaviourName(name)) throw new Error(`x-behaviour names no behaviour: ${header}`);
  const values = new Map(settings.map((setting) => setting.split('=') as [string, string]));
  return {
    name,
    ...(values.has('status') && { status: Number(values.get('status')) }),
    ...(values.has('delayMs') && { delayMs: Number(values.get('delayMs')) }),
  };
}

async function close(server: Server): Promise<void> {
  // Unanswered requests are part of the game here: their connections are cut, not waited for.
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
