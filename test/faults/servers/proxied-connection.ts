import { connect, type Socket } from 'node:net';

/** Which way bytes go: `requests` to the server, `answers` to the client. */
export type Direction = 'requests' | 'answers';

/** How a connection is broken: `cut` resets both sides; the others leave the client with a socket that says nothing. */
export type Breaking =
  | 'cut'
  /** The server's side is reset, the client is told nothing: no FIN, no RST (a firewall forgot the connection). */
  | 'half_open'
  /** Neither side is told anything: the way between them is gone for good. The server keeps what it holds. */
  | 'silent';

/** How answers get lost; see `TcpProxy.loseAnswers`. */
export interface AnswerLoss {
  /** Whether the answer to these bytes is one to lose. */
  readonly concerns: (request: Buffer) => boolean;
  /** Whether the server has answered, given the last bytes it sent. Only then is the connection broken. */
  readonly answered: (tail: Buffer) => boolean;
  readonly then: Breaking;
  /** Called once an answer is lost. */
  readonly lost: () => void;
}

/** The end of a request never arrives: what the server was told is not whole, and it goes on waiting. */
export interface Withholding {
  readonly concerns: (request: Buffer) => boolean;
  /** The bytes that a request ends with, and which are kept from the server. */
  readonly ending: Buffer;
  readonly how: Breaking;
}

/** Longest end of an answer that `answered` is shown. */
const TAIL_BYTES = 16;

/** One client, the server's side that belongs to it, and what stands between them. */
export class ProxiedConnection {
  private readonly server: Socket;
  private readonly sent = { requests: 0, answers: 0 };
  private limit: { direction: Direction; atByte: number; how: Breaking } | null = null;
  private withheld: Withholding | null = null;
  private broken = false;
  private stalled = false;
  private loss: AnswerLoss | null = null;
  /** How the answer that is on its way is lost. */
  private losing: AnswerLoss | null = null;
  private tail = Buffer.alloc(0);
  private ended = 0;

  constructor(
    private readonly client: Socket,
    to: { host: string; port: number },
    private readonly onClosed: (connection: ProxiedConnection) => void,
  ) {
    this.server = connect({ ...to, allowHalfOpen: true, noDelay: true });
    client.setNoDelay(true);
    this.join(client, this.server, 'requests');
    this.join(this.server, client, 'answers');
  }

  private join(from: Socket, to: Socket, direction: Direction): void {
    from.on('data', (chunk: Buffer) => {
      this.pass(from, to, chunk, direction);
    });
    from.on('end', () => {
      // A broken way carries no FIN either.
      if (!this.broken) to.end();
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      // Who resets a connection takes the other side along, unless nobody shall know of it.
      if (!this.broken) {
        if (from.errored === null) to.end();
        else to.resetAndDestroy();
      }
      if (++this.ended === 2) this.onClosed(this);
    });
    to.on('drain', () => {
      if (!this.stalled) from.resume();
    });
  }

  private pass(from: Socket, to: Socket, chunk: Buffer, direction: Direction): void {
    if (this.broken) return;
    if (direction === 'requests' && this.losing === null && this.loss?.concerns(chunk) === true)
      this.losing = this.loss;
    if (direction === 'answers' && this.losing !== null) {
      this.swallow(this.losing, chunk);
      return;
    }
    const { limit, withheld } = this;
    if (direction === 'requests' && withheld !== null && endsWith(chunk, withheld.ending) && withheld.concerns(chunk)) {
      this.passThenBreak(to, chunk.subarray(0, -withheld.ending.length), withheld.how);
      return;
    }
    if (limit?.direction === direction && this.sent[direction] + chunk.length >= limit.atByte) {
      this.passThenBreak(to, chunk.subarray(0, limit.atByte - this.sent[direction]), limit.how);
      return;
    }
    this.sent[direction] += chunk.length;
    if (!to.write(chunk)) from.pause();
  }

  /** The bytes before the breaking must arrive: a reset throws away what the kernel was not given yet. */
  private passThenBreak(to: Socket, bytes: Buffer, how: Breaking): void {
    this.broken = true;
    to.write(bytes, () => {
      this.break(how);
    });
  }

  private swallow(loss: AnswerLoss, chunk: Buffer): void {
    this.tail = Buffer.concat([this.tail, chunk]).subarray(-TAIL_BYTES);
    if (!loss.answered(this.tail)) return;
    this.break(loss.then);
    loss.lost();
  }

  break(how: Breaking): void {
    this.broken = true;
    if (how === 'cut') this.client.resetAndDestroy();
    else this.client.resume();
    if (how === 'silent') this.server.resume();
    else this.server.resetAndDestroy();
  }

  /** Breaks after so many more bytes in this direction, be it in the middle of a message. */
  breakAfter(bytes: number, direction: Direction, how: Breaking): void {
    this.limit = { direction, atByte: this.sent[direction] + Math.max(1, bytes), how };
  }

  /** Breaks at the next request that ends so, before its end. */
  withhold(withheld: Withholding): void {
    this.withheld = withheld;
  }

  /** Holds what comes, both ways, until `resume`: the kernels' buffers fill, nobody is told. */
  stall(): void {
    this.stalled = true;
    this.client.pause();
    this.server.pause();
  }

  resume(): void {
    this.stalled = false;
    this.client.resume();
    this.server.resume();
  }

  /** For requests from now on; null lets their answers pass again. */
  loseAnswers(loss: AnswerLoss | null): void {
    this.loss = loss;
  }

  /** The proxy ends: both sides are told. */
  destroy(): void {
    this.broken = true;
    this.client.destroy();
    this.server.destroy();
  }
}

const endsWith = (chunk: Buffer, ending: Buffer): boolean => chunk.subarray(-ending.length).equals(ending);
