import { type Scope, SCOPES } from '../../../ledger-service/src/store/api-keys';
import { RunningService } from './running-service';

let service: RunningService;

beforeAll(async () => {
  service = await RunningService.start();
});

afterAll(() => service.stop());

const ID = '00000000-0000-0000-0000-000000000000';

/** Any one of the scopes opens the call. */
const CALLS: [string, string, Scope[]][] = [
  ['POST', '/v1/claims', ['claim']],
  ['POST', '/v1/actions', ['claim']],
  ['POST', '/v1/receipts', ['receipt']],
  ['POST', '/v1/heartbeats', ['claim', 'receipt']],
  ['POST', '/v1/releases', ['claim', 'receipt']],
  ['POST', '/v1/executions/ended', ['claim', 'receipt']],
  ['GET', '/v1/whoami', [...SCOPES]],
  ['GET', '/v1/operations', ['read', 'claim']],
  ['GET', '/v1/operations/o', ['read']],
  ['PUT', '/v1/operations/o', ['admin']],
  ['GET', '/v1/actions', ['read']],
  ['GET', `/v1/actions/${ID}`, ['read']],
  ['GET', `/v1/actions/${ID}/history`, ['read']],
  ['POST', '/v1/reconciliations/lease', ['reconcile']],
  ['POST', `/v1/actions/${ID}/resolution`, ['reconcile']],
  ['POST', `/v1/actions/${ID}/override`, ['admin']],
];

test('the table names every call of the API document that needs a key, and no other one is open', () => {
  const { paths = {} } = service.app.swagger() as { paths?: Record<string, Record<string, { security?: object[] }>> };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      call: `${method.toUpperCase()} ${path}`,
      open: security === undefined,
    })),
  );
  const named = CALLS.map(
    ([method, url]) => `${method} ${url.replace(ID, '{id}').replace('/operations/o', '/operations/{name}')}`,
  );
  expect(
    documented
      .filter(({ open }) => !open)
      .map(({ call }) => call)
      .sort(),
  ).toEqual(named.sort());
  expect(
    documented
      .filter(({ open }) => open)
      .map(({ call }) => call)
      .sort(),
  ).toEqual(['GET /healthz', 'GET /readyz', 'GET /metrics', 'GET /openapi.json'].sort());
});

test.each(CALLS)('%s %s is open to %j and to nobody else', async (method, url, scopes) => {
  const body = method === 'GET' ? undefined : {};
  for (const scope of SCOPES) {
    const { status, body: answer } = await service.call(method, url, body, { key: await service.newKey([scope]) });
    if (scopes.includes(scope)) expect([200, 400, 404]).toContain(status);
    else
      expect({ status, code: answer.code, detail: answer.detail }).toMatchObject({
        status: 403,
        code: 'forbidden',
        detail: expect.stringContaining(`needs ${scopes.join(' or ')}`),
      });
  }
});

test.each([
  ['no header', null, {}],
  ['an empty one', null, { authorization: '' }],
  ['another scheme', null, { authorization: 'Basic YTpi' }],
  ['no key', null, { authorization: 'Bearer ' }],
  ['an unknown key', 'al_unknown', {}],
  ['a key of 10,000 characters', 'x'.repeat(10_000), {}],
  ['two keys', null, { authorization: 'Bearer al_a al_b' }],
])('%s is a 401 before the body is looked at', async (_what, key, headers) => {
  const {
    status,
    body,
    headers: answered,
  } = await service.call('POST', '/v1/claims', undefined, { key, raw: 'no json', headers });
  expect({ status, ...body }).toMatchObject({ status: 401, code: 'unauthorized', field: 'Authorization' });
  expect(answered['www-authenticate']).toContain('Bearer');
  expect(answered['x-ledger-id']).toBe(service.ledgerId);
});

test('a key that has expired, and one that is revoked, opens nothing any more', async () => {
  const expiring = await service.newKey(['claim'], { expiresAt: new Date(Date.now() + 1_000) });
  const revoked = await service.newKey(['claim']);
  for (const key of [expiring, revoked]) expect((await service.get('/v1/whoami', { key })).status).toBe(200);
  const no = (await service.ledger.apiKeys.list()).at(-1)?.no ?? 0;
  // By another process: this service remembers the key for at most two seconds.
  await service.sql('UPDATE action_ledger.api_keys SET revoked_at = clock_timestamp() WHERE no = $1', [no]);
  await new Promise((resolve) => setTimeout(resolve, 2_200));
  for (const key of [expiring, revoked]) {
    expect(await service.post('/v1/claims', { claims: [{ subject: 'late', operation: 'o' }] }, { key })).toMatchObject({
      status: 401,
      body: { code: 'unauthorized' },
    });
  }
  expect(await service.sql(`SELECT 1 FROM action_ledger.actions WHERE subject = 'late'`)).toEqual([]);
});

test('a token of another workspace is unknown there, and nothing is recorded', async () => {
  const { claimToken, actionId } = await service.claim({ subject: 'theirs', operation: 'o' });
  const key = await service.newKey(SCOPES, { workspace: 'another' });
  const before = await service.contents();
  const unknown = { error: expect.objectContaining({ status: 404, code: 'claim_token_unknown' }) };
  for (const [list, item] of [
    ['receipts', { claimToken, outcome: 'confirmed' }],
    ['heartbeats', { claimToken }],
    ['releases', { claimToken }],
  ] as const) {
    const { status, body } = await service.post(`/v1/${list}`, { [list]: [item] }, { key });
    expect({ status, results: body.results }).toEqual({ status: 200, results: [unknown] });
  }
  expect((await service.get(`/v1/actions?subject=theirs`, { key })).body.actions).toEqual([]);
  expect(await service.contents()).toBe(before);
  // The same order number is another action there.
  expect(await service.claim({ subject: 'theirs', operation: 'o' }, { key })).toMatchObject({
    decision: 'proceed',
    actionId,
  });
});

test('no key and no claim token is ever logged', async () => {
  const { claimToken } = await service.claim({ subject: 'logged', operation: 'o' });
  await service.receipt({ claimToken, outcome: 'nonsense' });
  await service.get('/v1/whoami', { key: 'al_wrong' });
  const log = service.logLines.join('\n');
  for (const secret of [service.key, claimToken, 'al_wrong']) expect(log).not.toContain(secret);
});
