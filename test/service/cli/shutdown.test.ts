import { Agent, request } from 'node:http';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../setup/database';
import { CommandLine } from './command-line';

// SIGTERM while many callers claim: what was taken on is finished and answered, what waits is answered, and the process
// ends by itself with 0.

const KEY = 'al_test_key_of_the_operator';

let database: TestDatabase;
let command: CommandLine;
let url: string;

beforeAll(async () => {
  database = await createTestDatabase();
  command = new CommandLine(['serve', '--port', '0', '--init'], {
    env: { DATABASE_URL: database.url, ACTION_LEDGER_API_KEY: KEY },
  });
  url = String((await command.logged('listening')).url);
}, 30_000);

afterAll(async () => {
  command.signal('SIGKILL');
  await command.ended;
  await database.drop();
});

interface Outcome {
  status: number;
  decision?: string;
  subject: string;
}

const agent = new Agent({ keepAlive: true });

function claim(subject: string, more: object = {}): Promise<Outcome> {
  const body = JSON.stringify({ ...more, claims: [{ subject, operation: 'o' }] });
  return new Promise((resolve, reject) => {
    const sending = request(`${url}/v1/claims`, {
      agent,
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    });
    sending.once('error', reject);
    sending.once('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        const answer = JSON.parse(Buffer.concat(parts).toString()) as { results?: { decision: string }[] };
        resolve({ status: response.statusCode ?? 0, subject, ...answer.results?.[0] });
      });
    });
    sending.end(body);
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('nothing that was answered is lost, nobody is cut off in the middle, and it ends in time', async () => {
  await claim('held');
  const waiting = Promise.all([claim('held', { waitMs: 30_000 }), claim('held', { waitMs: 30_000 })]);
  const answered: Outcome[] = [];
  const failures: string[] = [];
  let told = 0;
  const callers = Array.from({ length: 32 }, async (_, index) => {
    for (let turn = 0; ; turn++) {
      try {
        answered.push(await claim(`${index}-${turn}`));
      } catch (error) {
        failures.push((error as NodeJS.ErrnoException).code ?? String(error));
        return;
      }
    }
  });
  await pause(700);
  const before = answered.length;
  told = performance.now();
  command.signal('SIGTERM');
  const { code, stderr } = await command.ended;
  const took = performance.now() - told;
  await Promise.all(callers);

  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  expect(took).toBeLessThan(10_000);
  for (const answer of await waiting) expect(answer).toMatchObject({ status: 200, decision: 'in_progress' });
  expect(before).toBeGreaterThan(32);
  expect(answered.filter(({ status, decision }) => status !== 200 || decision !== 'proceed')).toEqual([]);
  // A new connection is refused, or one that was open and idle is closed just as it is used again; never half an answer.
  expect(failures).toHaveLength(32);
  expect(failures.every((reason) => ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(reason))).toBe(true);
  expect(await grantedSubjects()).toEqual(expect.arrayContaining(answered.map(({ subject }) => subject)));
  expect(command.log.map(({ msg }) => msg).slice(-2)).toEqual(['ending', 'ended']);
}, 60_000);

async function grantedSubjects(): Promise<string[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ subject: string }>('SELECT subject FROM action_ledger.actions WHERE state = 2');
  await client.end();
  return rows.map(({ subject }) => subject);
}
