import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../setup/database';
import { createServerFolder } from '../../setup/temp-folder';
import { CommandLine, type CommandOptions } from './command-line';

const KEY = 'al_test_key_of_the_operator';

let database: TestDatabase;
let started: CommandLine[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  for (const command of started) command.signal('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  started = [];
  await database.drop();
});

function serve(args: readonly string[], options?: CommandOptions): CommandLine {
  const command = new CommandLine(['serve', '--port', '0', ...args], options);
  started.push(command);
  return command;
}

const onDatabase = (): CommandOptions => ({ env: { DATABASE_URL: database.url, ACTION_LEDGER_API_KEY: KEY } });

async function sql(text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(text)).rows as unknown[];
  } finally {
    await client.end();
  }
}

const call = (url: unknown, path: string, body?: object, key = KEY): Promise<Response> =>
  fetch(`${String(url)}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });

test('without --init an empty database is refused and stays empty; with it a ledger is made and found again', async () => {
  const refused = await serve([], onDatabase()).ended;
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/no ledger .* Nothing was started.*--init/s),
  });
  expect(await sql(`SELECT 1 FROM pg_namespace WHERE nspname = 'action_ledger'`)).toEqual([]);

  const first = serve(['--init'], onDatabase());
  const { url, ledgerId } = await first.logged('listening');
  expect(await (await call(url, '/v1/whoami')).json()).toMatchObject({ ledgerId, workspace: 'default' });
  first.signal('SIGTERM');
  expect((await first.ended).code).toBe(0);
  // Its own key was given, so none is made.
  expect(first.stderr).not.toContain('shown only this once');
  expect(first.stderr).toContain(`listens on ${String(url)}`);

  const second = serve([], onDatabase());
  expect((await second.logged('listening')).ledgerId).toBe(ledgerId);
}, 60_000);

test('tables of an older version are not touched without --init, those of a newer one never', async () => {
  const { stderr } = await CommandLine.run(['migrate', '--init'], onDatabase());
  expect(stderr).toBe('');
  await sql(`INSERT INTO action_ledger.migrations VALUES ('9999_later.sql')`);
  for (const args of [[], ['--init']]) {
    const { code, stderr: said } = await serve(args, onDatabase()).ended;
    expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('newer version (9999_later.sql)') });
  }
}, 60_000);

test('a server that could forget what it confirmed, or cannot write, is refused', async () => {
  await CommandLine.run(['migrate', '--init'], onDatabase());
  const settings = ['synchronous_commit = off', 'synchronous_commit = local', 'default_transaction_read_only = on'];
  const said: string[] = [];
  for (const setting of settings) {
    await sql(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET ${setting}`);
    const { code, stderr } = await serve([], onDatabase()).ended;
    said.push(`${String(code)} ${stderr}`);
  }
  expect(said).toEqual([
    expect.stringMatching(/^1 .*synchronous_commit = off.*Nothing was started/s),
    expect.stringMatching(/^1 .*synchronous_commit = local.*Nothing was started/s),
    expect.stringMatching(/^1 .*read-only.*Nothing was started/s),
  ]);
}, 60_000);

test('what an operator got wrong is said in a sentence, without a stack and without the password', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const port = String((taken.address() as { port: number }).port);
  const wrong = new URL(database.url);
  wrong.password = 'not-the-password';
  const results = await Promise.all([
    new CommandLine(['serve', '--init', '--port', port], onDatabase()).ended,
    serve(['--init'], { env: { DATABASE_URL: 'postgres://a:hidden@127.0.0.1:1/x' } }).ended,
    serve(['--init'], { env: { DATABASE_URL: wrong.href } }).ended,
    serve(['--init'], { env: { DATABASE_URL: 'mysql://a:hidden@b/c' } }).ended,
    serve(['--init'], { env: { DATABASE_URL: database.url, ACTION_LEDGER_API_KEY: 'short' } }).ended,
    CommandLine.run(['serve', '--port', '99999']),
    CommandLine.run(['serve', '--unheard-of']),
  ]);
  taken.close();
  expect(results.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1, 2, 2]);
  const said = results.map(({ stderr }) => stderr);
  expect(said).toEqual([
    expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`),
    expect.stringContaining('database cannot be reached'),
    expect.stringContaining('password authentication failed'),
    expect.stringContaining('DATABASE_URL is not of the form'),
    expect.stringContaining('ACTION_LEDGER_API_KEY must have'),
    expect.stringContaining('from 0 to 65535'),
    expect.stringContaining("unknown option '--unheard-of'"),
  ]);
  for (const text of said) {
    expect(text).not.toMatch(/^\s+at /m);
    expect(text).not.toMatch(/hidden|not-the-password/);
  }
}, 60_000);

test('on a folder of its own: --init makes ledger and key, the key is shown once, and keys can be made while it runs', async () => {
  const folder = createServerFolder();
  try {
    const refused = await serve(['--data', `${folder}/data`]).ended;
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no ledger in') });

    const first = serve(['--data', folder, '--init']);
    const { url } = await first.logged('listening');
    const key = /al_[\w-]{20,}/.exec(first.stderr)?.[0] ?? '';
    expect((await call(url, '/v1/whoami', undefined, key)).status).toBe(200);
    expect(first.stdout).not.toContain(key);

    const made = await CommandLine.run([
      'keys',
      'create',
      '--data',
      folder,
      '--name',
      'n8n',
      '--scope',
      'claim',
      'receipt',
    ]);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^al_[\w-]+\n$/) });
    const whoami = await call(url, '/v1/whoami', undefined, made.stdout.trim());
    expect(await whoami.json()).toMatchObject({ keyName: 'n8n', scopes: ['claim', 'receipt'] });

    const twice = await serve(['--data', folder]).ended;
    expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by process') });
    first.signal('SIGINT');
    expect((await first.ended).code).toBe(0);

    const second = serve(['--data', folder]);
    const again = await second.logged('listening');
    expect((await call(again.url, '/v1/whoami', undefined, key)).status).toBe(200);
    expect(second.stderr).not.toContain('al_');
    second.signal('SIGTERM');
    await second.ended;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
