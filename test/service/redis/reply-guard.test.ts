import { ReplyGuard } from '../../../ledger-service/src/store/redis-reply-guard';

const objectionTo = (...chunks: (string | Buffer)[]): string | null => {
  const guard = new ReplyGuard();
  for (const chunk of chunks) {
    const objection = guard.objection(Buffer.from(chunk));
    if (objection !== null) return objection;
  }
  return null;
};

const text = (value: string | Buffer): string => `$${Buffer.byteLength(value)}\r\n${value.toString('latin1')}\r\n`;
const message = (value: string): string => `*3\r\n${text('message')}${text('action_ledger:1')}${text(value)}`;

const SOUND = [
  '+OK\r\n',
  '-NOAUTH Authentication required.\r\n',
  ':12\r\n',
  `*3\r\n${text('subscribe')}${text('action_ledger:1')}:1\r\n`,
  message('probe:1'),
  message(''),
  message('*1\r\n$-1\r\n'),
  message('x'.repeat(65_536)),
  `+OK\r\n:0\r\n${message('a')}${message('b')}-ERR\r\n`,
];

test.each(SOUND.map((reply) => [JSON.stringify(reply.slice(0, 60)), reply]))('lets through %s', (_name, reply) => {
  expect(objectionTo(reply)).toBeNull();
});

test('what comes in pieces is judged as what comes at once', () => {
  for (const reply of SOUND.filter(({ length }) => length < 200)) {
    expect(objectionTo(...reply)).toBeNull();
    for (let at = 1; at < reply.length; at++) expect(objectionTo(reply.slice(0, at), reply.slice(at))).toBeNull();
  }
});

const FOREIGN: [string, string][] = [
  ['another protocol', 'HTTP/1.1 200 OK\r\n\r\n'],
  ['a greeting', '220 mail.example.com ESMTP\r\n'],
  ['nothing, as a text', '$-1\r\n'],
  ['a text of its own', text('PONG')],
  ['a list of nothing', '*-1\r\n'],
  ['an empty list', '*0\r\n'],
  ['a list of one', `*1\r\n${text('message')}`],
  ['a list of many', '*1000000000\r\n'],
  ['nothing in a list', '*3\r\n$-1\r\n'],
  ['nothing behind a kind', `*3\r\n${text('message')}$-1\r\n`],
  ['a list in a list', '*3\r\n*3\r\n'],
  ['a number as a kind', '*3\r\n:1\r\n'],
  ['an error in a list', `*3\r\n${text('message')}-ERR\r\n`],
  ['a number that is none', ':12a\r\n'],
  ['a number without end', `:${'1'.repeat(400)}\r\n`],
  ['a line that ends early', '+OK\n'],
  ['a return inside a line', '+O\rK\r\n'],
  ['RESP3', '%1\r\n+a\r\n+b\r\n'],
  ['a push', `>3\r\n${text('message')}`],
  ['an empty line', '\r\n'],
  ['zeros', '\0\0\0\0\n'],
];

test.each(FOREIGN)('objects to %s', (_name, reply) => {
  expect(objectionTo(reply)).toBe('it does not speak as a Redis server does');
  expect(objectionTo(message('before'), ...reply)).toBe('it does not speak as a Redis server does');
});

test('objects to a message of any size as soon as its length is known', () => {
  const head = `*3\r\n${text('message')}${text('c')}`;
  expect(objectionTo(`${head}$65537\r\n`)).toBe('it sends a message of 65537 bytes');
  expect(objectionTo(`${head}$500000000000\r\n`)).toBe('it sends a message of 500000000000 bytes');
});

test('objects to a line without an end before it is long', () => {
  const guard = new ReplyGuard();
  let bytes = 0;
  while (guard.objection(Buffer.from('+aaaaaaaaa')) === null) bytes += 10;
  expect(bytes).toBeLessThanOrEqual(1_024);
});

test('objects to subscriptions that nobody asked for, which a client would remember', () => {
  const reply = `*3\r\n${text('subscribe')}${text('other')}:1\r\n`;
  expect(objectionTo(reply, reply, reply, reply)).toBeNull();
  expect(objectionTo(reply, reply, reply, reply, reply)).not.toBeNull();
});

test('objects to a flood, by messages and by bytes', () => {
  expect(objectionTo(message('lie').repeat(30_000))).toMatch(/messages a second/);
  expect(objectionTo(...Array.from({ length: 600 }, () => message('x'.repeat(60_000))))).toMatch(/8 MiB a second/);
});
