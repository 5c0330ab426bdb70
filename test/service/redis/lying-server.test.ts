import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { Ledger } from '../../../ledger-service/src/store/ledger';
import { until } from '../../e2e/stack/until';
import { sound, Story } from '../domain/story';
import { openLedger, type OpenLedger } from '../store/open-ledger';

// What answers at REDIS_URL is no Redis, or one that lies about everything. It needs none to be installed.

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

const CHANNEL_REPLY = '*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n';

const LIARS: Record<string, (socket: Socket) => void> = {
  'hangs up': (socket) => socket.destroy(),
  'never answers': () => undefined,
  'answers in another protocol': (socket) => socket.write('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'),
  'answers nothing to everything': (socket) => socket.on('data', () => socket.write('$-1\r\n')),
  'answers lists of nothing': (socket) => socket.on('data', () => socket.write('*3\r\n$-1\r\n$-1\r\n$-1\r\n')),
  'answers a message without a text': (socket) =>
    socket.on('data', () => socket.write(`${CHANNEL_REPLY}*1\r\n$7\r\nmessage\r\n`)),
  'answers what nobody asked': (socket) => socket.write('+OK\r\n:1\r\n+OK\r\n:2\r\n'),
  'says OK to everything': (socket) => socket.on('data', () => socket.write('+OK\r\n')),
  'refuses everything': (socket) => socket.on('data', () => socket.write('-ERR not today\r\n')),
  'claims to send half a terabyte': (socket) => socket.write('*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$500000000000\r\n'),
  'sends without end': (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write('+'.padEnd(65_536, 'a')));
      socket.once('drain', more);
    };
    more();
  },
  'subscribes and then talks nonsense': (socket) => {
    socket.on('data', () => socket.write(CHANNEL_REPLY));
    const timer = setInterval(() => socket.write('*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$5\r\nhello\r\n'), 20);
    socket.once('close', () => clearInterval(timer));
  },
};

test.each(Object.keys(LIARS))('a server that %s', async (kind) => {
  let met = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    met++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    LIARS[kind]!(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const warnings: string[] = [];
  const ledger = new Ledger({
    databaseUrl: open.url,
    redisUrl: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    directUrl: 'postgres://nobody@127.0.0.1:1/nothing',
    log: { warn: (_facts, message) => warnings.push(message), info: () => undefined },
  });
  ledger.start();
  try {
    const story = new Story(open);
    await story.claim();
    const waiting = ledger.claim(open.workspaceNo, { waitMs: 20_000, claims: [story.key] });
    await until(() => warnings.length > 0, { what: 'the ledger to give it up', everyMs: 10, timeoutMs: 20_000 });
    await story.receipt('confirmed');
    const [answer] = await waiting;
    expect(sound(answer).decision).toBe('already_done');
    expect(met).toBeGreaterThan(0);
    expect(ledger.wakeUps.redis).toBe(false);
    // Said once, however often it is tried again.
    await sleep(1_500);
    expect(warnings).toHaveLength(1);
  } finally {
    const began = performance.now();
    await ledger.stop();
    expect(performance.now() - began).toBeLessThan(5_000);
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
