import { RunningService } from './running-service';

// The shapes that clients rely on. Every answer is also checked against the API document by RunningService.

let service: RunningService;

beforeAll(async () => {
  service = await RunningService.start();
});

afterAll(() => service.stop());

const CLAIM_FIELDS = [
  'decision',
  'reason',
  'actionId',
  'actionKey',
  'state',
  'attempt',
  'historySeq',
  'claimToken',
  'idempotencyKey',
  'leaseExpiresAt',
  'leaseMs',
  'repeat',
  'replayed',
  'receipt',
  'event',
  'unknown',
  'newer',
  'operationConfigured',
];

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a full claim is granted, with every field of an answer there', async () => {
  const { body, headers } = await service.post('/v1/claims', {
    waitMs: 0,
    requestToken: 'r-1',
    claims: [
      {
        account: 'shop-1',
        subject: 'workshop-842',
        operation: 'reserve-seat',
        version: 1,
        event: { source: 'stripe', id: 'evt_A', occurredAt: '2026-10-20T03:00:00Z' },
        subjectVersion: { stream: 'order', value: 17 },
        details: { amount: 4900, currency: 'thb' },
        leaseSeconds: 300,
        holder: {
          kind: 'n8n',
          workflowId: 'w',
          executionId: '7',
          instanceId: 'i',
          mode: 'webhook',
          node: 'Claim Action',
          sendsIdempotencyKey: false,
        },
      },
    ],
  });
  expect(body).toEqual({
    ledgerId: service.ledgerId,
    waitedMs: 0,
    results: [
      {
        decision: 'proceed',
        reason: expect.any(String),
        actionId: UUID,
        actionKey: 'shop-1:workshop-842:reserve-seat',
        state: 'in_progress',
        attempt: 1,
        historySeq: 1,
        claimToken: expect.stringMatching(/^ct_/),
        idempotencyKey: UUID,
        leaseExpiresAt: MOMENT,
        leaseMs: 300_000,
        repeat: false,
        replayed: false,
        receipt: null,
        event: { duplicate: false, deliveries: 1, firstSeenAt: MOMENT },
        unknown: null,
        newer: null,
        operationConfigured: false,
      },
    ],
  });
  expect(headers).toMatchObject({
    'x-ledger-id': service.ledgerId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
});

test('in progress, done, unknown, stale and mismatch have the same fields, null where they do not apply', async () => {
  const action = { subject: 'order-1', operation: 'send' };
  const { claimToken } = await service.claim({ ...action, details: { a: 1 }, subjectVersion: { value: 5 } });
  const inProgress = await service.claim(action);
  expect(inProgress).toMatchObject({ decision: 'in_progress', claimToken: null, idempotencyKey: null, leaseMs: null });
  expect(inProgress.leaseExpiresAt).toEqual(MOMENT);
  const mismatch = await service.claim({ ...action, details: { a: 2 } });
  expect(mismatch).toMatchObject({ decision: 'mismatch', claimToken: null });

  await service.receipt({ claimToken, outcome: 'unknown', cause: 'timeout' });
  const unknown = await service.claim(action);
  expect(unknown).toMatchObject({
    decision: 'unknown',
    claimToken: null,
    leaseExpiresAt: null,
    unknown: { since: MOMENT, cause: expect.any(String), owner: null, reviewBy: MOMENT },
  });

  await service.receipt({ claimToken, outcome: 'confirmed', references: ['RSV-1', 'RSV-2'] });
  const done = await service.claim(action);
  expect(done).toMatchObject({
    decision: 'already_done',
    receipt: {
      outcome: 'confirmed',
      reference: 'RSV-1',
      references: ['RSV-1', 'RSV-2'],
      attempt: 1,
      recordedAt: MOMENT,
      testRun: false,
    },
  });
  const stale = await service.claim({
    subject: 'order-1',
    operation: 'send',
    version: 2,
    subjectVersion: { value: 4 },
  });
  expect(stale).toMatchObject({ decision: 'stale', newer: { stream: 'send', value: 5 }, state: null, attempt: null });
  for (const answer of [inProgress, mismatch, unknown, done, stale]) {
    expect(Object.keys(answer).sort()).toEqual([...CLAIM_FIELDS].sort());
  }
});

test('a failed action is claimed again with attempt 2; a destination key stays or changes as the ledger decides', async () => {
  const first = await service.claim({ subject: 'f', operation: 'send' });
  expect(
    await service.receipt({ claimToken: first.claimToken, outcome: 'failed', cause: '422', evidence: { status: 422 } }),
  ).toEqual({
    result: 'recorded',
    reason: expect.any(String),
    late: false,
    replayed: false,
    contradiction: null,
    actionId: first.actionId,
    actionKey: 'default:f:send',
    state: 'failed',
    attempt: 1,
    historySeq: 2,
  });
  expect(await service.claim({ subject: 'f', operation: 'send' })).toMatchObject({ decision: 'proceed', attempt: 2 });
});

test('a receipt for a token that nobody has is an error in its place; its neighbours are recorded', async () => {
  const { claimToken } = await service.claim({ subject: 'neighbours', operation: 'send' });
  const token = String(claimToken);
  const foreign = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BA' : 'AA'}`;
  const { status, body } = await service.post('/v1/receipts', {
    receipts: [
      { claimToken: foreign, outcome: 'confirmed' },
      { claimToken: 'no token', outcome: 'confirmed' },
      { claimToken, outcome: 'confirmed', reference: 'R' },
    ],
  });
  expect(status).toBe(200);
  expect(body.results).toEqual([
    { error: expect.objectContaining({ status: 404, code: 'claim_token_unknown', field: 'receipts[0].claimToken' }) },
    { error: expect.objectContaining({ status: 400, code: 'invalid_token', field: 'receipts[1].claimToken' }) },
    expect.objectContaining({ result: 'recorded', state: 'confirmed' }),
  ]);
});

test('heartbeats extend, releases give back by token and by call, registrations wait', async () => {
  const { claimToken, actionId } = await service.claim({ subject: 'hb', operation: 'send', leaseSeconds: 60 });
  const beat = await service.post('/v1/heartbeats', { heartbeats: [{ claimToken }] });
  expect(beat.body.results[0]).toEqual({
    result: 'extended',
    leaseExpiresAt: MOMENT,
    leaseMs: 60_000,
    actionId,
    actionKey: 'default:hb:send',
    state: 'in_progress',
    attempt: 1,
    historySeq: 1,
  });
  const released = await service.post('/v1/releases', { releases: [{ claimToken }] });
  expect(released.body.results[0]).toMatchObject({ result: 'released', replayed: false, actionId });
  const lost = await service.post('/v1/heartbeats', { heartbeats: [{ claimToken }] });
  expect(lost.body.results[0]).toMatchObject({ result: 'lost', leaseExpiresAt: null, leaseMs: null });

  await service.post('/v1/claims', {
    requestToken: 'lost-call',
    claims: [
      { subject: 'x', operation: 'send' },
      { subject: 'y', operation: 'send' },
    ],
  });
  const byCall = { requestToken: 'lost-call', position: 1, subject: 'y', operation: 'send' };
  const answer = await service.post('/v1/releases', { releases: [byCall, { ...byCall, position: 0 }] });
  expect(answer.body.results).toMatchObject([{ result: 'released' }, { result: 'not_applicable' }]);

  const registered = await service.post('/v1/actions', {
    actions: [
      { subject: 'r', operation: 'send' },
      { subject: 'r', operation: 'send' },
    ],
  });
  expect(registered.body.results).toMatchObject([
    { decision: 'registered', state: 'pending', attempt: 0 },
    { decision: 'exists', state: 'pending' },
  ]);
});

test('an execution that ended leaves its actions unknown', async () => {
  const holder = { kind: 'n8n', instanceId: 'i', workflowId: 'w', executionId: 'gone' };
  const { actionId } = await service.claim({ subject: 'gone', operation: 'send', holder });
  const other = await service.post('/v1/executions/ended', { holder: { ...holder, instanceId: 'another' } });
  expect(other.body).toEqual({ ledgerId: service.ledgerId, abandoned: [] });
  const { body } = await service.post('/v1/executions/ended', { holder, cause: 'execution_crashed' });
  expect(body.abandoned).toEqual([{ actionId, actionKey: 'default:gone:send', state: 'unknown' }]);
});

test('the same request token gets the same answer, from the body or the Idempotency-Key header; two of them are refused', async () => {
  const claims = [{ subject: 'replay', operation: 'send' }];
  const first = await service.post('/v1/claims', { requestToken: 'tok', claims });
  for (const key of ['tok', '"tok"']) {
    const again = await service.post('/v1/claims', { claims }, { headers: { 'idempotency-key': key } });
    expect(again.body.results[0]).toMatchObject({ replayed: true, claimToken: first.body.results[0].claimToken });
  }
  const both = await service.post(
    '/v1/claims',
    { requestToken: 'tok', claims },
    { headers: { 'idempotency-key': 'other' } },
  );
  expect(both).toMatchObject({ status: 400, body: { code: 'invalid_request', field: 'requestToken' } });
  const empty = await service.post('/v1/claims', { claims }, { headers: { 'idempotency-key': '""' } });
  expect(empty).toMatchObject({ status: 400, body: { field: 'Idempotency-Key' } });
});

test('whoami tells the key, the workspace and the ledger', async () => {
  const key = await service.newKey(['claim', 'receipt']);
  expect((await service.get('/v1/whoami', { key })).body).toEqual({
    workspace: 'default',
    keyName: 'claim receipt in default',
    scopes: ['claim', 'receipt'],
    ledgerId: service.ledgerId,
    version: '0.0.0-test',
  });
});
