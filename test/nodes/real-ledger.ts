import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { createServerFolder } from '../setup/temp-folder';
import type { JsonObject } from './json';

const root = path.resolve(__dirname, '../..');

/** The real service with its own PostgreSQL, started from source as `action-ledger serve --init` does. */
export class RealLedger {
  readonly apiKey = 'al_a-key-of-the-node-tests-with-all-scopes';

  url = '';

  ledgerId = '';

  private readonly folder = createServerFolder();

  private child: ChildProcess | undefined;

  async start(): Promise<this> {
    const tsx = require.resolve('tsx/cli');
    const main = path.join(root, 'ledger-service/src/cli/main.ts');
    const args = [tsx, main, 'serve', '--init', '--port', '0', '--data', path.join(this.folder, 'data')];
    const env = { ...process.env, DATABASE_URL: undefined, ACTION_LEDGER_API_KEY: this.apiKey };
    const child = spawn(process.execPath, args, { cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      const listen = (chunk: Buffer) => {
        said += chunk.toString();
        const url = /listens on (http:\/\/[\d.]+:\d+)/.exec(said)?.[1];
        if (url === undefined) return;
        this.url = url;
        resolve();
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.once('exit', (code) => reject(new Error(`The ledger ended with ${code} instead of listening:\n${said}`)));
    });
    this.ledgerId = (await this.call('GET', '/v1/whoami')).ledgerId as string;
    return this;
  }

  async call(method: string, route: string, body?: unknown): Promise<JsonObject> {
    const response = await fetch(`${this.url}${route}`, {
      method,
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return (await response.json()) as JsonObject;
  }

  /** The one action of a subject, as the ledger has it. */
  async action(subject: string): Promise<JsonObject> {
    const { actions } = await this.call('GET', `/v1/actions?subject=${encodeURIComponent(subject)}`);
    if (actions.length !== 1) throw new Error(`There are ${actions.length} actions of ${subject}, not one`);
    return actions[0];
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child !== undefined && child.exitCode === null) {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Passes calls on to the ledger, and loses the answers that a test wants lost: after the ledger has decided. */
export class LossyProxy {
  private readonly server: Server;

  private loses: (route: string, earlier: number) => boolean = () => false;

  private readonly asked: string[] = [];

  constructor(private readonly ledger: RealLedger) {
    this.server = createServer((request, response) => {
      void this.pass(request, response);
    });
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const route = request.url ?? '/';
    const earlier = this.asked.filter((one) => one === route).length;
    this.asked.push(route);
    const answer = await fetch(`${this.ledger.url}${route}`, {
      method: request.method,
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      body: chunks.length === 0 ? undefined : Buffer.concat(chunks),
    });
    const text = await answer.text();
    if (this.loses(route, earlier)) {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', 'x-ledger-id': this.ledger.ledgerId });
    response.end(text);
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  lose(loses: (route: string, earlier: number) => boolean): void {
    this.asked.length = 0;
    this.loses = loses;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
