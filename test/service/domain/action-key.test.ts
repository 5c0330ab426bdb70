import {
  actionId,
  type ActionKey,
  actionKey,
  parseWrittenForm,
  subjectRange,
  writtenForm,
} from '../../../ledger-service/src/domain/action-key';
import { type Problem } from '../../../ledger-service/src/domain/problem';

const key = (parts: Partial<ActionKey>): ActionKey =>
  actionKey({ account: 'shop-1', subject: 'workshop-842', operation: 'reserve-seat', ...parts });

const problemOf = (make: () => unknown): Problem => {
  try {
    make();
  } catch (error) {
    return error as Problem;
  }
  throw new Error('It was accepted');
};

describe('written form', () => {
  test('is account, subject and operation; the version only when it is not 1', () => {
    expect(writtenForm(key({}))).toBe('shop-1:workshop-842:reserve-seat');
    expect(writtenForm(key({ version: 2 }))).toBe('shop-1:workshop-842:reserve-seat:v2');
    expect(writtenForm(actionKey({ subject: '842', operation: 'refund' }))).toBe('default:842:refund');
  });

  test('encodes ":" and "%" inside a part', () => {
    expect(writtenForm(key({ subject: 'a:b%3A' }))).toBe('shop-1:a%3Ab%253A:reserve-seat');
  });

  // Parts that would run into each other, were they written as they are.
  const parts = ['a', 'b', ':', '%', '%3A', '%3a', '%25', 'a:b', 'a%3Ab', 'v2', ':v2', 'a:v2', '%253A', 'é', '😀'];
  const keys = [1, 2, 3].flatMap((version) =>
    parts.flatMap((account) =>
      parts.flatMap((subject) => parts.map((operation) => ({ account, subject, operation, version }))),
    ),
  );

  test(`no two of ${keys.length} keys share one, or an identity`, () => {
    expect(new Set(keys.map(writtenForm)).size).toBe(keys.length);
    expect(new Set(keys.map(actionId)).size).toBe(keys.length);
  });

  test('leads back to its key', () => {
    for (const one of keys) expect(parseWrittenForm(writtenForm(one))).toEqual(one);
  });

  test.each(['', 'a', 'a:b', 'a:b:c:d', 'a:b:c:v0', 'a:b:c:v01', 'a:b:c:v2147483648', 'a:b:c:v2:e', 'a::c'])(
    'refuses "%s"',
    (text) => expect(problemOf(() => parseWrittenForm(text)).code).toBe('invalid_key'),
  );
});

describe('identity', () => {
  test('depends on every part', () => {
    const ids = [
      key({}),
      key({ account: 'shop-2' }),
      key({ subject: 'workshop-843' }),
      key({ operation: 'refund' }),
      key({ version: 2 }),
    ].map(actionId);
    expect(new Set(ids).size).toBe(5);
  });

  test('does not depend on where one part ends and the next begins', () => {
    expect(actionId(key({ account: 'ab', subject: 'c' }))).not.toBe(actionId(key({ account: 'a', subject: 'bc' })));
    expect(actionId(key({ subject: 'ab', operation: 'c' }))).not.toBe(actionId(key({ subject: 'a', operation: 'bc' })));
  });

  test('lies in the range of its subject', () => {
    const { from, to } = subjectRange('workshop-842');
    for (const one of [key({}), key({ account: 'shop-2' }), key({ operation: 'refund', version: 7 })]) {
      const id = actionId(one);
      expect(id >= from && id <= to).toBe(true);
    }
    const other = actionId(key({ subject: 'workshop-843' }));
    expect(other >= from && other <= to).toBe(false);
  });
});

describe('parts', () => {
  test('are trimmed and NFC-normalised: two ways of writing é are one subject', () => {
    expect(key({ subject: '  cafe\u0301 ' })).toEqual(key({ subject: 'caf\u00e9' }));
    expect(actionId(key({ subject: '\u212b' }))).toBe(actionId(key({ subject: '\u00c5' })));
  });

  test('are told apart by case and by what NFC leaves apart', () => {
    expect(actionId(key({ subject: 'A' }))).not.toBe(actionId(key({ subject: 'a' })));
    expect(actionId(key({ subject: '\ufb01' }))).not.toBe(actionId(key({ subject: 'fi' })));
  });

  test.each(['account', 'subject', 'operation'] as const)('%s: 1 to 200 bytes, counted after normalising', (part) => {
    expect(key({ [part]: 'x' })[part]).toBe('x');
    expect(key({ [part]: 'x'.repeat(200) })[part]).toHaveLength(200);
    expect(key({ [part]: ` ${'é'.repeat(100)} ` })[part]).toHaveLength(100);
    // 300 bytes as it is sent, 200 as it is kept.
    expect(key({ [part]: 'e\u0301'.repeat(100) })[part]).toHaveLength(100);
    expect(problemOf(() => key({ [part]: 'x'.repeat(201) }))).toMatchObject({ code: 'invalid_key', field: part });
    expect(problemOf(() => key({ [part]: '😀'.repeat(51) }))).toMatchObject({ code: 'invalid_key', field: part });
  });

  test.each([
    ['empty', ''],
    ['blank', ' \u00a0 '],
    ['NUL', 'a\u0000b'],
    ['line feed', 'a\nb'],
    ['line feed at the end', 'a\n'],
    ['escape', '\u001b[2J'],
    ['DEL', 'a\u007f'],
    ['C1', 'a\u0085b'],
    ['line separator', 'a\u2028b'],
    ['paragraph separator', 'a\u2029'],
    ['half a character, first', 'a\ud83d'],
    ['half a character, second', '\ude00a'],
    ['a number', 842 as unknown as string],
    ['a list', ['a'] as unknown as string],
    ['an object', {} as unknown as string],
    ['true', true as unknown as string],
  ])('refuse %s, naming the part', (_what, value) => {
    for (const part of ['account', 'subject', 'operation'] as const) {
      expect(problemOf(() => key({ [part]: value }))).toMatchObject({ code: 'invalid_key', field: part, status: 400 });
    }
  });

  test('subject and operation are required', () => {
    expect(problemOf(() => actionKey({ subject: undefined, operation: 'x' }))).toMatchObject({ field: 'subject' });
    expect(problemOf(() => actionKey({ subject: 'x', operation: null }))).toMatchObject({ field: 'operation' });
  });
});

describe('version', () => {
  test('is 1 by default and at most 2^31 − 1', () => {
    expect(key({}).version).toBe(1);
    expect(key({ version: 2_147_483_647 }).version).toBe(2_147_483_647);
  });

  test.each([0, -1, 1.5, 2_147_483_648, NaN, Infinity, '2' as unknown as number])('refuses %s', (version) => {
    expect(problemOf(() => key({ version }))).toMatchObject({ code: 'invalid_key', field: 'version' });
  });
});
