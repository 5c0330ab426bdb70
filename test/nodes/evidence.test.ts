import { joinEvidence, toCause, toEvidence, toReference } from '../../nodes/shared/evidence';

const whole = (json: Record<string, unknown>) => toEvidence(json, 'all');

test('secrets are masked by their names, at every level', () => {
  const evidence = whole({
    password: 'p',
    apiKey: 'k',
    api_key: 'k',
    'X-API-Key': 'k',
    Authorization: 'Bearer abc',
    clientSecret: 's',
    set_cookie: 'c',
    nested: [{ accessToken: 't', cvc: 123, cvv: '123' }],
    keyboard: 'stays',
  });
  expect(JSON.stringify(evidence)).not.toMatch(/"(p|k|s|c|t|123)"|123|Bearer/);
  expect(evidence).toMatchObject({ keyboard: 'stays', nested: [{ accessToken: '***', cvc: '***' }] });
});

test('secrets are masked by what they look like', () => {
  const secrets = [
    'Bearer abcdef',
    'sk_live_51Habcdefgh',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    '-----BEGIN PRIVATE KEY-----\nx',
  ];
  expect(whole({ list: secrets })).toEqual({ list: ['***', '***', '***', '***'] });
});

test('card-like numbers are masked but for their last digits, other long numbers are not', () => {
  expect(
    whole({ text: 'paid with 4242 4242 4242 4242 today', number: 4242424242424242, order: 1234567890123456 }),
  ).toEqual({
    text: 'paid with ***4242 today',
    number: '***4242',
    order: 1234567890123456,
  });
});

test('an error is told without stack, request and response, whatever kind it is', () => {
  const error = Object.assign(new Error('404'), {
    status: 404,
    code: 'ERR_BAD_REQUEST',
    config: { headers: { a: 1 } },
    request: {},
  });
  expect(whole({ error })).toEqual({ error: { message: '404', name: 'Error', code: 'ERR_BAD_REQUEST', status: 404 } });
  expect(whole({ error: { message: 'm', stack: 's', cause: { stack: 's' } } })).toEqual({ error: { message: 'm' } });
  expect(whole({ deep: { stack: 's', kept: 1 } })).toEqual({ deep: { kept: 1 } });
});

test('what belongs to the guard itself is no evidence', () => {
  expect(whole({ claim: { claimToken: 't' }, receipt: {} })).toBeUndefined();
});

test('what PostgreSQL cannot store is replaced', () => {
  const evidence = whole({ 'a\u0000b': 'x\u0000y', half: '\ud800', pair: '😀', other: '\udc00z' });
  expect(evidence).toEqual({ 'a\ufffdb': 'x\ufffdy', half: '\ufffd', pair: '😀', other: '\ufffdz' });
});

test('what is no JSON becomes JSON', () => {
  const evidence = whole({
    at: new Date('2026-10-20T03:00:00Z'),
    nan: NaN,
    big: 10n,
    none: undefined,
    run: () => 1,
    missing: null,
  });
  expect(evidence).toMatchObject({ at: '2026-10-20T03:00:00.000Z', nan: 'NaN', big: '10', missing: null });
  expect(JSON.parse(JSON.stringify(evidence))).toEqual(evidence);
});

test('a field called __proto__ stays a field', () => {
  const evidence = whole(JSON.parse('{"__proto__": {"polluted": true}, "a": {"__proto__": 1}}'));
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect(JSON.stringify(evidence)).toBe('{"__proto__":{"polluted":true},"a":{"__proto__":1}}');
});

test('a circle or a deep nesting ends', () => {
  const circle: Record<string, unknown> = { name: 'c' };
  circle.self = circle;
  expect(JSON.stringify(whole({ circle })).length).toBeLessThan(2_000);
});

test('at most 64 KiB are kept, also of several items and of wide letters', () => {
  const large = whole({ text: 'é"\\'.repeat(60_000) });
  expect(large).toMatchObject({ leftOut: expect.stringContaining('64 KiB'), bytes: expect.any(Number) });
  expect(Buffer.byteLength(JSON.stringify(large))).toBeLessThan(64 * 1024);
  const joined = joinEvidence(Array.from({ length: 40 }, () => whole({ text: 'x'.repeat(2_000) })));
  expect(joined).toHaveProperty('leftOut');
  expect(joinEvidence([undefined, { a: 1 }])).toEqual({ a: 1 });
  expect(joinEvidence([{ a: 1 }, undefined, { b: 2 }])).toEqual({ items: [{ a: 1 }, { b: 2 }] });
});

test('chosen fields only, by path', () => {
  expect(toEvidence({ a: { b: [{ c: 1 }] }, x: 2 }, ['a.b.0.c', 'constructor', 'nothing'])).toEqual({ 'a.b.0.c': 1 });
});

test('a reference is short text, a cause is a sentence', () => {
  expect(toReference(219)).toBe('219');
  expect(toReference({ id: 1 })).toBe('');
  expect(toReference(`  ${'r'.repeat(600)}`)).toHaveLength(500);
  expect(toReference(`${'r'.repeat(499)}😀`)).toMatch(/r\ufffd$/);
  expect(toCause('c'.repeat(600))).toHaveLength(500);
});
