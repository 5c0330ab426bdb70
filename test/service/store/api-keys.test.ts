import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { SCOPES } from '../../../ledger-service/src/store/api-keys';
import { openLedger, type OpenLedger } from './open-ledger';

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

const make = (more: { workspace?: string; expiresAt?: Date } = {}) =>
  open.ledger.apiKeys.create({ name: 'n8n', workspace: 'default', scopes: ['claim', 'receipt'], ...more });

test('a key is random, and only its hash is stored', async () => {
  const { secret, key } = await make();
  expect(secret).toMatch(/^al_[\w-]{43}$/);
  const { rows } = await open.sql.query<{ hash: Buffer; row: string }>(
    'SELECT hash, to_jsonb(k)::text AS row FROM action_ledger.api_keys k WHERE no = $1',
    [key.no],
  );
  expect(rows[0]!.hash).toEqual(createHash('sha256').update(secret).digest());
  expect(rows[0]!.row).not.toContain(secret.slice(3));
  expect((await make()).secret).not.toBe(secret);
});

test('it is found with its workspace and scopes', async () => {
  const { secret } = await make({ workspace: 'shop' });
  expect(await open.ledger.apiKeys.find(secret)).toMatchObject({
    name: 'n8n',
    workspace: 'shop',
    workspaceNo: await open.workspace('shop'),
    scopes: ['claim', 'receipt'],
    expiresAt: null,
  });
});

test.each(['', 'al_', 'al_nonsense', ' ', '\0', 'x'.repeat(100_000)])('nothing else is found: %j', async (text) => {
  expect(await open.ledger.apiKeys.find(text)).toBeUndefined();
});

test('a key that was asked for before it existed is found as soon as it does', async () => {
  const secret = 'al_chosen-by-the-operator';
  expect(await open.ledger.apiKeys.find(secret)).toBeUndefined();
  await open.ledger.apiKeys.adopt(secret, { name: 'bootstrap', workspace: 'default', scopes: SCOPES });
  expect(await open.ledger.apiKeys.find(secret)).toMatchObject({ name: 'bootstrap', scopes: [...SCOPES] });
});

test('adopting a key again changes nothing, and does not bring back one that was revoked', async () => {
  const secret = 'al_adopted';
  const options = { name: 'bootstrap', workspace: 'default', scopes: SCOPES };
  await Promise.all([1, 2, 3].map(() => open.ledger.apiKeys.adopt(secret, options)));
  const key = (await open.ledger.apiKeys.find(secret))!;
  await open.ledger.apiKeys.revoke(key.no);
  await open.ledger.apiKeys.adopt(secret, options);
  expect(await open.ledger.apiKeys.find(secret)).toBeUndefined();
});

test.concurrent('a revoked key ends at once where it was revoked, and within two seconds everywhere', async () => {
  const { secret, key } = await make();
  const other = open.another();
  expect(await other.apiKeys.find(secret)).toBeDefined();
  expect(await open.ledger.apiKeys.revoke(key.no)).toBe(true);
  expect(await open.ledger.apiKeys.find(secret)).toBeUndefined();
  await sleep(2_050);
  expect(await other.apiKeys.find(secret)).toBeUndefined();
});

test.concurrent('a key ends when it expires, also where it was just in use', async () => {
  const { secret } = await make({ expiresAt: new Date(Date.now() + 1_000) });
  expect(await open.ledger.apiKeys.find(secret)).toBeDefined();
  await sleep(1_100);
  expect(await open.ledger.apiKeys.find(secret)).toBeUndefined();
});

test('a key that is expired already is none', async () => {
  const { secret } = await make({ expiresAt: new Date(Date.now() - 1) });
  expect(await open.ledger.apiKeys.find(secret)).toBeUndefined();
});

test('revoking is remembered with its first time; a number that is none is not revoked', async () => {
  const { key } = await make();
  await open.ledger.apiKeys.revoke(key.no);
  const revokedAt = async () => (await open.ledger.apiKeys.list()).find(({ no }) => no === key.no)?.revokedAt;
  const first = await revokedAt();
  expect(first).toBeInstanceOf(Date);
  await open.ledger.apiKeys.revoke(key.no);
  expect(await revokedAt()).toEqual(first);
  expect(await open.ledger.apiKeys.revoke(2_000_000_000)).toBe(false);
});

test('the list tells everything about the keys but their secrets', async () => {
  const { secret, key } = await make({ workspace: 'listed' });
  const listed = (await open.ledger.apiKeys.list()).find(({ no }) => no === key.no);
  expect(listed).toMatchObject({ workspace: 'listed', scopes: ['claim', 'receipt'], revokedAt: null });
  expect(JSON.stringify(listed)).not.toContain(secret.slice(3, 20));
});
