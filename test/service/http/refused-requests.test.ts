import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { RunningService } from './running-service';

// Requests that are wrong as a whole: nothing of them is decided.

let service: RunningService;

beforeAll(async () => {
  service = await RunningService.start();
});

afterAll(() => service.stop());

const claims = { claims: [{ subject: 's', operation: 'o' }] };
const json = JSON.stringify(claims);

const bytes = (text: string, encoding: BufferEncoding): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, encoding));

describe('bodies', () => {
  let before: string;

  beforeEach(async () => {
    before = await service.contents();
  });

  afterEach(async () => {
    expect(await service.contents()).toBe(before);
  });

  test.each<[string, string | Uint8Array<ArrayBuffer>, Record<string, string>, object]>([
    ['empty', '', {}, { status: 400, field: 'body' }],
    ['not JSON', '{"claims":', {}, { status: 400, field: 'body' }],
    ['no object', '[]', {}, { status: 400, field: 'body' }],
    ['text', '"claims"', {}, { status: 400, field: 'body' }],
    ['null', 'null', {}, { status: 400, field: 'body' }],
    ['JSON with a comment', `${json} // done`, {}, { status: 400, field: 'body' }],
    [
      'not UTF-8',
      bytes('{"claims":[{"subject":"caf\xe9","operation":"o"}]}', 'latin1'),
      {},
      { status: 400, field: 'body' },
    ],
    ['UTF-16', bytes(json, 'utf16le'), {}, { status: 400, field: 'body' }],
    ['five million open brackets', '['.repeat(5_000_000), {}, { status: 400, field: 'body' }],
    [
      'a nest of 800,000 objects',
      `${'{"a":'.repeat(800_000)}1${'}'.repeat(800_000)}`,
      {},
      { status: 400, field: 'claims' },
    ],
    [
      'a prototype deep inside',
      `${'{"a":'.repeat(9)}{"__proto__":1}${'}'.repeat(9)}`,
      {},
      { status: 400, field: 'a.a.a.a.a.a.a.a.a.__proto__' },
    ],
    ['a prototype written otherwise', '{"\\u005f_proto__": {"claims": []}}', {}, { status: 400, field: '__proto__' }],
    [
      '1,001 claims',
      JSON.stringify({ claims: Array.from({ length: 1001 }, () => claims.claims[0]) }),
      {},
      { status: 413, field: 'claims', code: 'payload_too_large' },
    ],
    ['another content type', json, { 'content-type': 'text/plain' }, { status: 415, field: 'Content-Type' }],
    [
      'a form',
      'claims=1',
      { 'content-type': 'application/x-www-form-urlencoded' },
      { status: 415, field: 'Content-Type' },
    ],
    ['a content type that is none', json, { 'content-type': 'nonsense' }, { status: 415, field: 'Content-Type' }],
    [
      'another charset',
      json,
      { 'content-type': 'application/json; charset=utf-16' },
      { status: 415, field: 'Content-Type' },
    ],
    [
      'compressed',
      new Uint8Array(gzipSync(json)),
      { 'content-encoding': 'gzip' },
      { status: 415, field: 'Content-Encoding' },
    ],
  ])('%s', async (_what, raw, headers, expected) => {
    const { status, body } = await service.call('POST', '/v1/claims', undefined, { raw, headers });
    expect({ ...body, status }).toMatchObject(expected);
  });

  test.each([
    ['with its length told', { 'content-length': String(10 * 1024 * 1024) }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('10 MB %s are a 413 that arrives', async (_what, headers) => {
    const answer = await upload(headers, 10);
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large', field: 'body' } });
  });

  test('a body that ends before its length is no request', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.end(
      `POST /v1/claims HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n${json}`,
    );
    await new Promise((resolve) => socket.resume().once('close', resolve));
  });
});

/** Sends that many MiB whether or not they are wanted, as a simple client does, and reads the answer. */
function upload(
  headers: Record<string, string>,
  megabytes: number,
): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((resolve, reject) => {
    const sending = request(`${service.url}/v1/claims`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', ...headers },
    });
    sending.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(parts).toString()) });
      });
    });
    sending.on('error', reject);
    for (let sent = 0; sent < megabytes; sent++) sending.write(Buffer.alloc(1024 * 1024, ' '));
    sending.end();
  });
}

describe('addresses and methods', () => {
  test.each([
    ['GET', '/', 404, undefined],
    ['GET', '/v1', 404, undefined],
    ['POST', '/v1/nothing', 404, undefined],
    ['GET', '/v1/actions/a/b/c', 404, undefined],
    ['GET', '/v1/claims', 405, 'POST'],
    ['DELETE', '/v1/claims', 405, 'POST'],
    ['OPTIONS', '/v1/claims', 405, 'POST'],
    ['PUT', '/v1/actions', 405, 'POST, GET, HEAD'],
    ['POST', '/v1/operations/x', 405, 'GET, HEAD, PUT'],
    ['PATCH', '/v1/actions/1/resolution', 405, 'POST'],
    ['POST', '/healthz', 405, 'GET, HEAD'],
  ])('%s %s is a %i', async (method, url, status, allow) => {
    const answer = await service.call(method, url, method === 'GET' ? undefined : {});
    expect(answer.status).toBe(status);
    expect(answer.headers['allow']).toBe(allow);
    expect(answer.body).toMatchObject({ code: status === 404 ? 'not_found' : 'method_not_allowed', status });
  });

  test('a body that is wrong, too, does not hide that the address is', async () => {
    const { status } = await service.call('POST', '/v1/nothing', undefined, {
      raw: 'no json',
      headers: { 'content-type': 'a/b' },
    });
    expect(status).toBe(404);
  });

  test('no answer lets a browser page of another origin in', async () => {
    const { headers } = await service.get('/v1/whoami', { headers: { origin: 'https://elsewhere.example' } });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['headers of 20 KB', `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
  [
    'two lengths',
    'POST /v1/claims HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    /^HTTP\/1\.1 400 /,
  ],
])('%s is answered with a problem', async (_what, text, status) => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(text);
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  const answer = Buffer.concat(parts).toString();
  expect(answer).toMatch(status);
  expect(answer).toContain('application/problem+json');
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ code: 'invalid_request' });
});
