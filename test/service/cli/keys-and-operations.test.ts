import { createTestDatabase, type TestDatabase } from '../../setup/database';
import { CommandLine, type Ended } from './command-line';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await run('migrate', '--init');
}, 30_000);

afterAll(() => database.drop());

const run = (...args: string[]): Promise<Ended> => CommandLine.run(args, { env: { DATABASE_URL: database.url } });

interface Key {
  no: number;
  name: string;
  workspace: string;
  scopes: string[];
  expiresAt: string | null;
  revokedAt: string | null;
}

const keys = async (): Promise<Key[]> => JSON.parse((await run('keys', 'list', '--json')).stdout) as Key[];

test('a key is made, listed without its secret, and revoked', async () => {
  const made = await run(
    'keys',
    'create',
    '--name',
    'n8n shop',
    '--scope',
    'claim,receipt',
    '--scope',
    'read',
    '--workspace',
    'shop',
    '--expires',
    '30d',
  );
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^al_[\w-]{43}\n$/),
    stderr: expect.stringContaining('only this once'),
  });
  const [key] = await keys();
  expect(key).toMatchObject({
    name: 'n8n shop',
    workspace: 'shop',
    scopes: ['claim', 'receipt', 'read'],
    revokedAt: null,
  });
  const days = (Date.parse(key?.expiresAt ?? '') - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);

  const list = await run('keys', 'list');
  expect(list.stdout).toMatch(/n8n shop +shop +claim receipt read/);
  expect(list.stdout).not.toContain(made.stdout.trim());

  const no = String(key?.no);
  expect(await run('keys', 'revoke', no)).toMatchObject({ code: 0, stdout: `Key ${no} is revoked.\n` });
  expect((await keys())[0]?.revokedAt).not.toBeNull();
}, 60_000);

test('what cannot be a key is refused, and none is made', async () => {
  const before = await keys();
  const wrong = await Promise.all([
    run('keys', 'create', '--name', 'x'),
    run('keys', 'create', '--name', 'x', '--scope', 'everything'),
    run('keys', 'create', '--name', ' ', '--scope', 'read'),
    run('keys', 'create', '--name', 'x', '--scope', 'read', '--expires', '2020-01-01T00:00:00Z'),
    run('keys', 'create', '--name', 'x', '--scope', 'read', '--expires', 'soon'),
    run('keys', 'revoke', 'abc'),
    run('keys', 'revoke', '999'),
  ]);
  expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2, 1]);
  expect(wrong[1]?.stderr).toContain('there are claim, receipt, reconcile, read, inbox, admin');
  expect(await keys()).toEqual(before);
}, 60_000);

test('an operation is set, shown and listed; a conflict and a wrong setting name the field', async () => {
  const set = await run(
    'operations',
    'set',
    'reserve-seat',
    'leaseSeconds=60',
    'owner=bookings@example.com',
    'description=Books a seat',
  );
  expect(JSON.parse(set.stdout)).toMatchObject({
    name: 'reserve-seat',
    configured: true,
    revision: 2,
    leaseSeconds: 60,
  });
  expect(JSON.parse((await run('operations', 'show', 'reserve-seat')).stdout)).toEqual(JSON.parse(set.stdout));
  expect((await run('operations', 'list', '--search', 'seat')).stdout).toMatch(
    /reserve-seat +yes +2 +60 s +bookings@example.com +Books a seat/,
  );

  const wrong = await Promise.all([
    run('operations', 'set', 'reserve-seat', 'leaseSeconds=90'),
    run('operations', 'set', 'reserve-seat', 'leaseSeconds=soon', '--revision', '2'),
    run('operations', 'set', 'reserve-seat', 'constructor=1', '--revision', '2'),
    run('operations', 'set', 'reserve-seat', 'safeRepeat=true', '--revision', '2'),
    run('operations', 'list', '--workspace', 'nobody'),
  ]);
  expect(wrong.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1]);
  expect(wrong.map(({ stderr }) => stderr)).toEqual([
    expect.stringContaining('leaseSeconds is 60, not 90'),
    expect.stringContaining('leaseSeconds must be a whole number'),
    expect.stringContaining('"constructor" is no setting'),
    expect.stringContaining('destination that honours an idempotency key'),
    expect.stringContaining('no workspace "nobody"'),
  ]);
  const changed = await run('operations', 'set', 'reserve-seat', 'owner=null', '--revision', '2');
  expect(JSON.parse(changed.stdout)).toMatchObject({ owner: null, revision: 3 });
}, 60_000);

test('migrating again changes nothing; help is in plain words', async () => {
  expect(await run('migrate')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('up to date; nothing was changed'),
  });
  for (const args of [[], ['serve'], ['migrate'], ['keys'], ['keys', 'create'], ['operations', 'set']]) {
    const { code, stdout } = await run(...args, '--help');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Usage: action-ledger') });
  }
}, 60_000);
