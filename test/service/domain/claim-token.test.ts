import { createHash, randomUUID } from 'node:crypto';

import { issueToken, proves, readToken } from '../../../ledger-service/src/domain/claim-token';

const actionId = randomUUID();
const secret = randomUUID();
const bytesOf = (token: string): Buffer => Buffer.from(token.slice(3), 'base64url');
const tokenOf = (bytes: Buffer): string => `ct_${bytes.toString('base64url')}`;

test('a token says which action and attempt it is for, and proves it', () => {
  const token = readToken(issueToken(actionId, 7, secret));
  expect(token).toMatchObject({ actionId, attempt: 7 });
  expect(proves(token, secret)).toBe(true);
});

test('it carries 16 bytes of proof and nothing of the secret', () => {
  const token = issueToken(actionId, 1, secret);
  expect(bytesOf(token)).toHaveLength(36);
  const hex = secret.replaceAll('-', '');
  expect(bytesOf(token).toString('hex')).not.toContain(hex);
  expect(bytesOf(token).toString('hex')).not.toContain(createHash('sha256').update(hex).digest('hex').slice(0, 32));
});

test('each attempt has its own: the tokens of one say nothing about the next', () => {
  const proofs = [1, 2, 3, 2 ** 31 - 1].map((attempt) =>
    bytesOf(issueToken(actionId, attempt, secret)).toString('hex', 20),
  );
  expect(new Set(proofs).size).toBe(4);
});

test('a token that was raised to the next attempt proves nothing', () => {
  const bytes = bytesOf(issueToken(actionId, 1, secret));
  bytes.writeUInt32BE(2, 16);
  const raised = readToken(tokenOf(bytes));
  expect(raised.attempt).toBe(2);
  expect(proves(raised, secret)).toBe(false);
});

test('a token of another action or under another secret proves nothing', () => {
  const token = readToken(issueToken(actionId, 1, secret));
  expect(proves(token, randomUUID())).toBe(false);
});

test('every flipped bit of the proof is seen', () => {
  const bytes = bytesOf(issueToken(actionId, 1, secret));
  for (let bit = 20 * 8; bit < 36 * 8; bit++) {
    const forged = Buffer.from(bytes);
    forged[bit >> 3]! ^= 1 << (bit & 7);
    expect(proves(readToken(tokenOf(forged)), secret)).toBe(false);
  }
});

const genuine = issueToken(actionId, 1, secret);
test.each([
  ['empty', ''],
  ['truncated', genuine.slice(0, -1)],
  ['truncated to whole bytes', tokenOf(bytesOf(genuine).subarray(0, 35))],
  ['longer', `${genuine}A`],
  ['one byte longer', tokenOf(Buffer.concat([bytesOf(genuine), Buffer.alloc(1)]))],
  ['without its prefix', genuine.slice(3)],
  ['with another prefix', genuine.replace('ct_', 'al_')],
  ['in plain base64', `ct_${bytesOf(genuine).toString('base64')}=`],
  ['with a character that decoding skips', `${genuine.slice(0, 10)}!${genuine.slice(10)}`],
  ['with white space', ` ${genuine}`],
  ['with a line end', `${genuine}\n`],
  ['very long', `ct_${'A'.repeat(10_000)}`],
  ['a number', 5],
  ['null', null],
  ['a list', [genuine]],
])('refuses what is not a token: %s', (_what, text) => {
  expect(() => readToken(text)).toThrow(
    expect.objectContaining({ code: 'invalid_token', field: 'claimToken', status: 400 }),
  );
});
