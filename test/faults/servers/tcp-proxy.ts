import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

import {
  type AnswerLoss,
  type Breaking,
  type Direction,
  ProxiedConnection,
  type Withholding,
} from './proxied-connection';

/** What happens to those who connect. `refuse` resets them at once, `silent` takes them and never says a word. */
export type Reception = 'pass' | 'refuse' | 'silent';

export interface BreakOptions {
  how: Breaking;
  /** Breaks each connection after so many more bytes in this direction instead of now. */
  after?: { bytes: () => number; direction: Direction };
}

export interface LossOptions extends Pick<AnswerLoss, 'concerns' | 'answered' | 'then'> {
  /** How many answers get lost until the rest passes again. */
  answers: number;
}

/**
 * Stands between a client and its server and does what networks do. It can be switched while connections live; nothing
 * that it does is done by the kernel's packet filter, so that it needs no rights.
 */
export class TcpProxy {
  private readonly connections = new Set<ProxiedConnection>();
  private readonly unanswered = new Set<Socket>();
  private readonly server: Server;
  private stalled = false;
  private loss: AnswerLoss | null = null;
  private endLoss: () => void = () => undefined;
  /** How many answers got lost so far. */
  answersLost = 0;
  /** For connections to come; those that are there are not touched by it. */
  reception: Reception = 'pass';

  private constructor(private readonly to: { host: string; port: number }) {
    this.server = createServer({ allowHalfOpen: true }, (client) => {
      this.receive(client);
    });
  }

  static async start(to: { host: string; port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(to);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  /** In front of the server that this address names. */
  static async before(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    return TcpProxy.start({ host: hostname, port: Number(port) });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The same address by way of this proxy. */
  through(url: string): string {
    const via = new URL(url);
    via.hostname = '127.0.0.1';
    via.port = String(this.port);
    return via.href.replace(/\/$/, '');
  }

  /** Connections that pass or are broken without their ends knowing it. */
  get count(): number {
    return this.connections.size;
  }

  private receive(client: Socket): void {
    if (this.reception === 'refuse') {
      client.resetAndDestroy();
      return;
    }
    if (this.reception === 'silent') {
      this.unanswered.add(client);
      client.on('error', () => undefined).on('close', () => this.unanswered.delete(client));
      client.resume();
      return;
    }
    const connection = new ProxiedConnection(client, this.to, (closed) => this.connections.delete(closed));
    this.connections.add(connection);
    connection.loseAnswers(this.loss);
    if (this.stalled) connection.stall();
  }

  /** Breaks the connections that there are. Later ones are not touched: see `reception`. */
  break({ how, after }: BreakOptions): void {
    for (const connection of this.connections) {
      if (after === undefined) connection.break(how);
      else connection.breakAfter(after.bytes(), after.direction, how);
    }
  }

  /** Breaks each connection that there is at its next request of a kind, just before the end of it. */
  withhold(withheld: Withholding): void {
    for (const connection of this.connections) connection.withhold(withheld);
  }

  /** Takes what comes, new connections too, and passes nothing on until `resume`. */
  stall(): void {
    this.stalled = true;
    for (const connection of this.connections) connection.stall();
  }

  /** What was held is passed on. */
  resume(): void {
    this.stalled = false;
    for (const connection of this.connections) connection.resume();
  }

  /**
   * Passes requests on and loses the server's answers to the next of them that it concerns. Resolves when all of these
   * are lost, or when `keepAnswers` ends it before.
   */
  loseAnswers({ answers, concerns, answered, then }: LossOptions): Promise<void> {
    this.keepAnswers();
    return new Promise((resolve) => {
      let left = answers;
      let underWay = 0;
      this.endLoss = resolve;
      this.lose({
        concerns: (request) => {
          if (left === 0 || !concerns(request)) return false;
          left--;
          underWay++;
          return true;
        },
        answered,
        then,
        lost: () => {
          this.answersLost++;
          underWay--;
          if (this.endLoss === resolve && left === 0 && underWay === 0) this.keepAnswers();
        },
      });
    });
  }

  /** Answers pass again, however few were lost; those under way still get lost. */
  keepAnswers(): void {
    this.lose(null);
    this.endLoss();
    this.endLoss = () => undefined;
  }

  private lose(loss: AnswerLoss | null): void {
    this.loss = loss;
    for (const connection of this.connections) connection.loseAnswers(loss);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const client of this.unanswered) client.destroy();
    for (const connection of this.connections) connection.destroy();
    await closed;
  }
}
