import { type Read, RunningService } from './running-service';

let service: RunningService;

beforeAll(async () => {
  service = await RunningService.start();
});

afterAll(() => service.stop());

async function unknown(subject: string, operation = 'send'): Promise<Read> {
  const { claimToken } = await service.claim({ subject, operation });
  const receipt = await service.receipt({ claimToken, outcome: 'unknown', cause: 'timeout' });
  return { ...receipt, claimToken };
}

const fence = ({ attempt, historySeq }: Read): object => ({ attempt, historySeq });

test('two reconcilers are never given the same unknown action', async () => {
  const ids = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (subject) => (await unknown(subject, 'leased')).actionId as string),
  );
  const lease = (limit: number): Promise<Read> =>
    service.post('/v1/reconciliations/lease', { limit, operation: 'leased' });
  // A due time may lie ahead by the operation's settings; looked up at once here.
  await service.sql('UPDATE action_ledger.open_actions SET due_at = clock_timestamp() WHERE state = 5');
  const [first, second, third] = await Promise.all([lease(2), lease(2), lease(2)]);
  const leased = [first, second, third].flatMap(({ body }) => body.actions as { actionId: string; state: string }[]);
  expect(leased.map(({ actionId }) => actionId).sort()).toEqual(ids.sort());
  expect(leased.every(({ state }) => state === 'unknown')).toBe(true);
  expect((await service.post('/v1/reconciliations/lease', { operation: 'nobody named it' })).body).toEqual({
    actions: [],
  });
});

test('it happened: the action is confirmed with what was found', async () => {
  const action = await unknown('happened');
  const { status, body } = await service.post(`/v1/actions/${action.actionId}/resolution`, {
    outcome: 'happened',
    ...fence(action),
    reference: 'RSV-9',
    evidence: { found: true },
    by: 'jo',
  });
  expect({ status, ...body }).toMatchObject({
    status: 200,
    result: 'resolved',
    warnings: [],
    action: { state: 'confirmed', receipt: { reference: 'RSV-9' } },
  });
  expect(await service.claim({ subject: 'happened', operation: 'send' })).toMatchObject({
    decision: 'already_done',
    receipt: { reference: 'RSV-9' },
  });
});

test('it did not happen: needs a reason, warns a person before the settle time, refuses a look-up', async () => {
  const action = await unknown('not-happened');
  const url = `/v1/actions/${action.actionId}/resolution`;
  const without = await service.post(url, { outcome: 'not_happened', ...fence(action) });
  expect(without).toMatchObject({ status: 400, body: { code: 'invalid_request', field: 'reason' } });
  const tooEarly = await service.post(url, {
    outcome: 'not_happened',
    ...fence(action),
    reason: 'no hit',
    foundBy: 'lookup',
  });
  expect(tooEarly).toMatchObject({ status: 409, body: { code: 'not_settled', settledAt: expect.any(String) } });
  const { body } = await service.post(url, { outcome: 'not_happened', ...fence(action), reason: 'asked the venue' });
  expect(body).toMatchObject({
    result: 'resolved',
    warnings: [expect.stringContaining('settle time')],
    action: { state: 'failed', claimable: true },
  });
  expect(await service.claim({ subject: 'not-happened', operation: 'send' })).toMatchObject({
    decision: 'proceed',
    attempt: 2,
  });
});

test('a page that is out of date resolves nothing, and what it found is kept', async () => {
  const action = await unknown('stale');
  const url = `/v1/actions/${action.actionId}/resolution`;
  const nextCheckAt = new Date(Date.now() + 3_600_000).toISOString();
  const still = await service.post(url, {
    outcome: 'still_unknown',
    ...fence(action),
    reason: 'venue closed',
    owner: 'kim',
    nextCheckAt,
  });
  expect(still.body.action).toMatchObject({ state: 'unknown', owner: 'kim', nextCheckAt });
  const stale = await service.post(url, { outcome: 'happened', ...fence(action), reference: 'RSV-7' });
  expect(stale).toMatchObject({
    status: 409,
    body: { code: 'stale_resolution', state: 'unknown', historySeq: expect.any(Number) },
  });
  expect((await service.get(`/v1/actions/${action.actionId}`)).body.state).toBe('unknown');
  const { body } = await service.get(`/v1/actions/${action.actionId}/history`);
  expect(JSON.stringify(body.entries)).toContain('RSV-7');
});

test('an override takes two people, and a fence', async () => {
  const { claimToken, actionId } = await service.claim({ subject: 'overridden', operation: 'send' });
  const confirmed = await service.receipt({ claimToken, outcome: 'confirmed', reference: 'R' });
  const url = `/v1/actions/${actionId}/override`;
  const request = { ...fence(confirmed), by: 'Jo', secondPerson: 'Kim', reason: 'the venue cancelled by itself' };
  expect(await service.post(url, { ...request, secondPerson: ' jo ' })).toMatchObject({
    status: 400,
    body: { field: 'secondPerson' },
  });
  expect(await service.post(url, { ...request, historySeq: 99 })).toMatchObject({
    status: 409,
    body: { code: 'stale_resolution' },
  });
  expect((await service.post(url, request)).body).toMatchObject({ result: 'overridden', action: { state: 'unknown' } });
  const again = await service.post(url, { ...request, historySeq: confirmed.historySeq + 1 });
  expect(again).toMatchObject({ status: 409, body: { code: 'not_applicable', state: 'unknown' } });
});
