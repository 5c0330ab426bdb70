import { createHash } from 'node:crypto';

import { fingerprint, MAX_JSON_BYTES } from '../../../ledger-service/src/domain/fingerprint';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** The canonical form is only seen through its hash. */
const canonical = (value: unknown, text: string): void => expect(fingerprint(value)).toBe(sha256(text));

describe('RFC 8785', () => {
  // Section 3.2.2, and its result in 3.2.3; without its 1E30, which is an integer beyond 2^53.
  test('the example of section 3.2', () => {
    canonical(
      JSON.parse(String.raw`{
        "numbers": [333333333.33333329, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
      }`),
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  // Section 3.2.3: members are sorted by UTF-16 code units, which is not the order of code points.
  test('the sorting example of section 3.2.3', () => {
    const sorted = [
      ['\r', 'Carriage Return'],
      ['1', 'One'],
      ['\u0080', 'Control\u007f'],
      ['\u00f6', 'Latin Small Letter O With Diaeresis'],
      ['\u20ac', 'Euro Sign'],
      ['\ud83d\ude00', 'Emoji: Grinning Face'],
      ['\ufb33', 'Hebrew Letter Dalet With Dagesh'],
    ] as const;
    const text = `{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
    canonical(Object.fromEntries([...sorted].reverse()), text);
  });

  // Appendix B; integers beyond 2^53 are left out, since they are refused here.
  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['433fffffffffffff', '9007199254740991'],
    ['c33fffffffffffff', '-9007199254740991'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
  ])('the number %s of appendix B', (bits, text) => {
    canonical([Buffer.from(bits, 'hex').readDoubleBE()], `[${text}]`);
  });
});

test('neither the order of members nor the spelling of numbers makes a difference, at any depth', () => {
  const one = JSON.parse('{"a":{"x":1.0,"y":[1e2,{"p":1,"q":2}]},"b":"\\u0041"}') as unknown;
  const other = JSON.parse('{"b":"A","a":{"y":[100,{"q":2,"p":1}],"x":1}}') as unknown;
  expect(fingerprint(one)).toBe(fingerprint(other));
});

test.each([
  ['a value', { amount: 4900 }, { amount: 4901 }],
  ['a type', { amount: 4900 }, { amount: '4900' }],
  ['the order of a list', { seats: [1, 2] }, { seats: [2, 1] }],
  ['null and absent', { note: null }, {}],
  ['an empty list and an empty object', { note: [] }, { note: {} }],
  ['another normal form', { name: 'caf\u00e9' }, { name: 'cafe\u0301' }],
  ['a member called __proto__', JSON.parse('{"__proto__":{"a":1}}'), {}],
])('any other change does: %s', (_what, one, other) => {
  expect(fingerprint(one)).not.toBe(fingerprint(other));
});

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test.each([
  ['2^53', { n: 2 ** 53 }, 'details.n'],
  ['−2^53', { n: -(2 ** 53) }, 'details.n'],
  ['an integer that was rounded when it was read', JSON.parse('{"a":[1,{"n":9007199254740993}]}'), 'details.a[1].n'],
  ['10^30', { n: 1e30 }, 'details.n'],
  ['NaN', { n: NaN }, 'details.n'],
  ['infinity', { n: Infinity }, 'details.n'],
  ['half a character', { n: 'a\ud800' }, 'details.n'],
  ['half a character in a name', { '\udc00': 1 }, 'details'],
  ['NUL', { n: 'a\0' }, 'details.n'],
  ['NUL in a name', { 'a\0': 1 }, 'details'],
  ['nested too deeply', nested(50), expect.stringContaining('details')],
])('refuses %s instead of storing something else, and names the place', (_what, details, field) => {
  expect(() => fingerprint(details)).toThrow(expect.objectContaining({ code: 'invalid_details', status: 400, field }));
});

test('accepts the last safe integer, fractions and depth within reason', () => {
  canonical({ n: 2 ** 53 - 1 }, '{"n":9007199254740991}');
  canonical({ n: 0.1 }, '{"n":0.1}');
  canonical(nested(30), '['.repeat(30) + ']'.repeat(30));
});

test('refuses what is larger than 64 KiB, counted in bytes', () => {
  expect(MAX_JSON_BYTES).toBe(65_536);
  expect(fingerprint({ t: 'x'.repeat(65_536 - 8) })).toHaveLength(64);
  expect(() => fingerprint({ t: 'x'.repeat(65_536 - 7) })).toThrow(
    expect.objectContaining({ code: 'invalid_details', field: 'details' }),
  );
  expect(() => fingerprint({ t: '€'.repeat(30_000) })).toThrow(expect.objectContaining({ code: 'invalid_details' }));
});

test('nesting far beyond the stack is refused, not a crash', () => {
  const deep: unknown[] = [];
  let at = deep;
  for (let level = 0; level < 200_000; level++) {
    const next: unknown[] = [];
    at.push(next);
    at = next;
  }
  expect(() => fingerprint(deep)).toThrow(expect.objectContaining({ code: 'invalid_details' }));
});
