import { createTestDatabase, type TestDatabase } from '../../setup/database';
import { until } from '../../e2e/stack/until';
import { CommandLine } from './command-line';

// A Redis that is not there, or not even an address, keeps no ledger from starting and deciding.

const KEY = 'al_test_key_of_the_operator';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test.each([
  ['nothing listens at', 'redis://:hidden-password@127.0.0.1:1', 'Redis (REDIS_URL) cannot be used'],
  ['that is none', 'localhost:6379', 'not of the form redis://host:port'],
])(
  'an address %s: it is said once, shown in the metrics, and claims are answered',
  async (_what, redisUrl, said) => {
    const service = new CommandLine(['serve', '--port', '0', '--init'], {
      env: { DATABASE_URL: database.url, ACTION_LEDGER_API_KEY: KEY, REDIS_URL: redisUrl },
    });
    try {
      const url = String((await service.logged('listening'))['url']);
      const warnings = (): unknown[] => service.log.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
      await until(() => warnings().length > 0, { what: 'the warning' });
      const claim = await fetch(`${url}/v1/claims`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ claims: [{ subject: redisUrl, operation: 'book' }] }),
      });
      expect(await claim.json()).toMatchObject({ results: [{ decision: 'proceed' }] });
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^action_ledger_redis_up 0$/m);
      expect(warnings()).toEqual([expect.stringContaining(said)]);
      expect(service.stdout).not.toContain('hidden-password');
    } finally {
      service.signal('SIGTERM');
      expect((await service.ended).code).toBe(0);
    }
  },
  120_000,
);

test('without REDIS_URL there is no such metric; a wrong setting of the retention is refused in words', async () => {
  const env = { DATABASE_URL: database.url, ACTION_LEDGER_API_KEY: KEY };
  const service = new CommandLine(['serve', '--port', '0', '--init'], { env });
  const refused = await CommandLine.run(['serve', '--port', '0'], {
    env: { ...env, ACTION_LEDGER_RETENTION_SECONDS: '0' },
  });
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ACTION_LEDGER_RETENTION_SECONDS must be a whole number from 1 to 86400'),
  });
  const url = String((await service.logged('listening'))['url']);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).not.toContain('action_ledger_redis_up');
  expect(metrics).toMatch(/^action_ledger_overdue_details_seconds 0$/m);
  service.signal('SIGTERM');
  await service.ended;
}, 120_000);
