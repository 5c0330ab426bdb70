import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

import { until } from '../../e2e/stack/until';
import { TcpProxy } from './tcp-proxy';

/** Answers each line with `answer to <line>` and remembers what it read and how its connections ended. */
class LineServer {
  readonly read: string[] = [];
  readonly open = new Set<Socket>();
  resets = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<LineServer> {
    const server = createServer();
    const lines = new LineServer(server);
    server.on('connection', (socket) => {
      lines.open.add(socket);
      socket.on('data', (chunk: Buffer) => {
        lines.read.push(chunk.toString());
        for (const line of chunk.toString().match(/.*\n/g) ?? []) socket.write(`answer to ${line}`);
      });
      socket.on('error', () => lines.resets++);
      socket.on('close', () => lines.open.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return lines;
  }

  get address(): { host: string; port: number } {
    return { host: '127.0.0.1', port: (this.server.address() as AddressInfo).port };
  }

  get text(): string {
    return this.read.join('');
  }

  async stop(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** A client that remembers what it was told. */
class Caller {
  text = '';
  /** `end` is a FIN, a code is what the network said, null is silence. */
  told: string | null = null;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    socket.on('end', () => (this.told ??= 'end'));
    socket.on('error', (error: NodeJS.ErrnoException) => (this.told = error.code ?? error.message));
  }

  static async to(port: number): Promise<Caller> {
    const caller = new Caller(connect(port, '127.0.0.1'));
    callers.push(caller);
    await once(caller.socket, 'connect').catch(() => undefined);
    return caller;
  }

  say(text: string): void {
    this.socket.write(text);
  }

  async hears(text: string): Promise<void> {
    await until(() => this.text.includes(text), { what: `"${text}"; heard "${this.text}"`, everyMs: 5 });
  }

  async isTold(what: string): Promise<void> {
    await until(() => this.told === what, { what: `${what}; was told ${this.told}`, everyMs: 5 });
  }
}

let server: LineServer;
let proxy: TcpProxy;
let callers: Caller[] = [];

beforeEach(async () => {
  callers = [];
  server = await LineServer.start();
  proxy = await TcpProxy.start(server.address);
});

afterEach(async () => {
  for (const { socket } of callers) socket.destroy();
  await proxy.stop();
  await server.stop();
});

async function connected(): Promise<Caller> {
  const caller = await Caller.to(proxy.port);
  caller.say('hello\n');
  await caller.hears('answer to hello\n');
  return caller;
}

/** Long enough for anything that is on its way within one machine; what must not come is waited for this long. */
const silence = async (): Promise<void> => {
  const other = await Caller.to(server.address.port);
  for (let turn = 0; turn < 20; turn++) {
    const before = other.text.length;
    other.say('is anything coming\n');
    await until(() => other.text.length > before, { what: 'the direct answer', everyMs: 1 });
  }
};

it('passes both ways, the end too', async () => {
  const caller = await connected();
  caller.socket.end('bye\n');
  await caller.hears('answer to bye\n');
  await caller.isTold('end');
  await until(() => proxy.count === 0, { what: 'the connection to be forgotten' });
});

it('passes more than any buffer holds, in order', async () => {
  const caller = await connected();
  const line = `${'x'.repeat(1023)}\n`;
  caller.say(line.repeat(4096));
  await until(() => server.text.length === 'hello\n'.length + 4096 * 1024, { what: 'all of it', everyMs: 5 });
});

it('names the same database by way of itself', () => {
  const via = proxy.through('postgres://me:secret@db.example:5432/ledger?sslmode=disable');
  expect(via).toBe(`postgres://me:secret@127.0.0.1:${proxy.port}/ledger?sslmode=disable`);
  expect(proxy.through('http://127.0.0.1:9999')).toBe(`http://127.0.0.1:${proxy.port}`);
});

it('cuts: both sides are reset, and who connects again passes', async () => {
  const caller = await connected();
  proxy.break({ how: 'cut' });
  await caller.isTold('ECONNRESET');
  await until(() => server.resets === 1, { what: 'the reset at the server' });
  await connected();
});

it.each([1, 7, 15])('cuts in the middle of an answer, after %i bytes of it', async (bytes) => {
  const caller = await connected();
  proxy.break({ how: 'cut', after: { bytes: () => bytes, direction: 'answers' } });
  caller.say('where is it\n');
  await caller.isTold('ECONNRESET');
  expect(caller.text).toBe(`answer to hello\n${'answer to where is it\n'.slice(0, bytes)}`);
  expect(server.text).toBe('hello\nwhere is it\n');
});

it('cuts in the middle of a request', async () => {
  const caller = await connected();
  proxy.break({ how: 'cut', after: { bytes: () => 5, direction: 'requests' } });
  caller.say('where is it\n');
  await caller.isTold('ECONNRESET');
  await until(() => server.resets === 1, { what: 'the reset at the server' });
  expect(server.text).toBe('hello\nwhere');
});

it('stalls: what is said meanwhile arrives later, on old and new connections', async () => {
  const old = await connected();
  proxy.stall();
  const fresh = await Caller.to(proxy.port);
  old.say('from the old one\n');
  fresh.say('from the new one\n');
  await silence();
  expect(server.text).not.toContain('from the');
  expect([old.told, fresh.told]).toEqual([null, null]);
  proxy.resume();
  await old.hears('answer to from the old one\n');
  await fresh.hears('answer to from the new one\n');
});

it('holds an answer that is on its way when it stalls', async () => {
  const caller = await connected();
  proxy.stall();
  for (const socket of server.open) socket.write('an answer that comes late\n');
  await silence();
  expect(caller.text).toBe('answer to hello\n');
  proxy.resume();
  await caller.hears('an answer that comes late\n');
});

it('opens half: the server’s side is gone, and the client is told nothing, whatever it says', async () => {
  const caller = await connected();
  proxy.break({ how: 'half_open' });
  await until(() => server.resets === 1, { what: 'the reset at the server' });
  caller.say('are you there\n');
  await silence();
  expect(caller.told).toBeNull();
  expect(caller.text).toBe('answer to hello\n');
  await connected();
});

it('falls silent: neither side is told', async () => {
  const caller = await connected();
  proxy.break({ how: 'silent' });
  caller.say('are you there\n');
  for (const socket of server.open) socket.write('I am\n');
  await silence();
  expect([caller.told, server.resets, caller.text]).toEqual([null, 0, 'answer to hello\n']);
  expect(server.text).not.toContain('are you there');
});

it('tells the server nothing of a client that leaves a silent connection', async () => {
  const caller = await connected();
  proxy.break({ how: 'silent' });
  caller.socket.destroy();
  await silence();
  expect([server.open.size, server.resets]).toEqual([2, 0]);
});

it('falls silent in the middle of a request: the server has a part of it and waits', async () => {
  const caller = await connected();
  proxy.break({ how: 'silent', after: { bytes: () => 5, direction: 'requests' } });
  caller.say('where is it\n');
  await until(() => server.text === 'hello\nwhere', { what: 'the part before the breaking' });
  await silence();
  expect([caller.told, server.resets]).toEqual([null, 0]);
});

it('keeps the end of a request of a kind from the server, which waits for it', async () => {
  const caller = await connected();
  proxy.withhold({ concerns: (request) => request.includes('pay'), ending: Buffer.from('!\n'), how: 'silent' });
  caller.say('look!\n');
  await caller.hears('answer to look!\n');
  caller.say('pay\n');
  await caller.hears('answer to pay\n');
  caller.say('pay now!\n');
  await until(() => server.text.endsWith('pay now'), { what: 'all but the end' });
  await silence();
  expect([caller.told, server.resets]).toEqual([null, 0]);
  expect(server.text).not.toContain('pay now!');
});

it('refuses who connects and leaves the others alone', async () => {
  const caller = await connected();
  proxy.reception = 'refuse';
  const refused = await Caller.to(proxy.port);
  await refused.isTold('ECONNRESET');
  caller.say('still here\n');
  await caller.hears('answer to still here\n');
  proxy.reception = 'pass';
  await connected();
});

it('takes who connects without a word, and stops all the same', async () => {
  proxy.reception = 'silent';
  const caller = await Caller.to(proxy.port);
  caller.say('hello\n');
  await silence();
  expect([caller.told, caller.text, server.text.includes('hello')]).toEqual([null, '', false]);
});

describe('losing answers', () => {
  const lossy = { concerns: (request: Buffer) => request.includes('pay'), answered: () => true };

  it('passes the request, loses the answer and cuts', async () => {
    const caller = await connected();
    const lost = proxy.loseAnswers({ ...lossy, answers: 1, then: 'cut' });
    caller.say('look\n');
    await caller.hears('answer to look\n');
    caller.say('pay\n');
    await caller.isTold('ECONNRESET');
    await lost;
    expect(caller.text).not.toContain('pay');
    expect(server.text).toBe('hello\nlook\npay\n');
    expect(proxy.answersLost).toBe(1);
    const next = await connected();
    next.say('pay\n');
    await next.hears('answer to pay\n');
  });

  it('loses the answer and leaves the client hanging', async () => {
    const caller = await connected();
    const lost = proxy.loseAnswers({ ...lossy, answers: 1, then: 'half_open' });
    caller.say('pay\n');
    await lost;
    await silence();
    expect([caller.told, caller.text]).toEqual([null, 'answer to hello\n']);
  });

  it('loses an answer in pieces as a whole', async () => {
    const caller = await connected();
    const lost = proxy.loseAnswers({ ...lossy, answered: (tail) => tail.includes('END'), answers: 1, then: 'cut' });
    caller.say('pay\n');
    await silence();
    expect([caller.told, caller.text]).toEqual([null, 'answer to hello\n']);
    for (const piece of ['and more\n', 'E', 'N']) for (const socket of server.open) socket.write(piece);
    await silence();
    expect(caller.told).toBeNull();
    for (const socket of server.open) socket.write('D');
    await lost;
    await caller.isTold('ECONNRESET');
    expect(caller.text).toBe('answer to hello\n');
  });

  it('loses as many as it was told, on connections that came later too', async () => {
    const lost = proxy.loseAnswers({ ...lossy, answers: 2, then: 'cut' });
    const three = [await connected(), await connected(), await connected()];
    for (const caller of three.slice(0, 2)) {
      caller.say('pay\n');
      await caller.isTold('ECONNRESET');
    }
    await lost;
    three[2]?.say('pay\n');
    await three[2]?.hears('answer to pay\n');
  });

  it('can be ended before', async () => {
    const caller = await connected();
    const lost = proxy.loseAnswers({ ...lossy, answers: 5, then: 'cut' });
    proxy.keepAnswers();
    await lost;
    caller.say('pay\n');
    await caller.hears('answer to pay\n');
    expect(proxy.answersLost).toBe(0);
  });
});

it('resets the client of a server that is not there', async () => {
  await server.stop();
  const caller = await Caller.to(proxy.port);
  await caller.isTold('ECONNRESET');
  server = await LineServer.start();
});
