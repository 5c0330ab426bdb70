import { RunningService } from './running-service';

let service: RunningService;

beforeAll(async () => {
  service = await RunningService.start();
});

afterAll(() => service.stop());

async function metrics(): Promise<Map<string, number>> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

test('health and readiness need no key', async () => {
  for (const url of ['/healthz', '/readyz']) {
    expect(await service.get(url, { key: null })).toMatchObject({ status: 200, body: { status: 'ok' } });
  }
});

test('a ledger whose tables are of another version is not ready, and says what to do', async () => {
  await service.sql(`INSERT INTO action_ledger.migrations (name) VALUES ('9999_from_the_future.sql')`);
  const newer = await service.get('/readyz');
  expect(newer).toMatchObject({
    status: 503,
    body: { code: 'ledger_unavailable', detail: expect.stringContaining('newer version') },
  });
  expect(newer.headers['retry-after']).toBe('1');
  await service.sql(`DELETE FROM action_ledger.migrations WHERE name = '9999_from_the_future.sql'`);
  await service.sql(`UPDATE action_ledger.migrations SET name = '0000' || name WHERE name = '0001_ledger.sql'`);
  await service.sql(`DELETE FROM action_ledger.migrations WHERE name LIKE '0000%'`);
  expect(await service.get('/readyz')).toMatchObject({
    status: 503,
    body: { detail: expect.stringMatching(/no ledger|older version/) },
  });
  await service.sql(`INSERT INTO action_ledger.migrations (name) VALUES ('0001_ledger.sql')`);
  expect((await service.get('/readyz')).status).toBe(200);
});

test('the metrics count what was asked and answered, and show what is open', async () => {
  const first = await service.claim({ subject: 'm', operation: 'o' });
  await service.claim({ subject: 'm', operation: 'o' });
  await service.claim({ subject: '', operation: 'o' });
  await service.receipt({ claimToken: first.claimToken, outcome: 'unknown' });
  await service.claim({ subject: 'overdue', operation: 'o', leaseSeconds: 1 });
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const found = await metrics();
  expect(Object.fromEntries(found)).toMatchObject({
    'action_ledger_claims_total{decision="proceed"}': 2,
    'action_ledger_claims_total{decision="in_progress"}': 1,
    'action_ledger_claims_total{decision="refused"}': 1,
    'action_ledger_receipts_total{result="recorded"}': 1,
    'action_ledger_http_request_duration_seconds_count{route="/v1/claims",method="POST",status="200"}': 4,
    action_ledger_up: 1,
    'action_ledger_open_actions{state="unknown"}': 1,
    'action_ledger_open_actions{state="in_progress"}': 1,
    action_ledger_overdue_leases: 1,
    'action_ledger_database_connections{kind="waited_for"}': 0,
    'action_ledger_waiting_items{kind="claims"}': 0,
  });
  expect(found.get('action_ledger_oldest_unknown_seconds')).toBeGreaterThan(1);
  expect(found.get('action_ledger_oldest_unknown_seconds')).toBeLessThan(60);
});

test('an address that nobody knows makes no metric of its own', async () => {
  await service.get('/v1/made-up-1');
  await service.get('/v1/made-up-2');
  const names = [...(await metrics()).keys()].filter((name) => name.includes('made-up'));
  expect(names).toEqual([]);
});
