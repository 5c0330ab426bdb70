import { type Read, RunningService } from './running-service';

let service: RunningService;

beforeAll(async () => {
  service = await RunningService.start();
});

afterAll(() => service.stop());

const keysOf = (body: { actions: { actionKey: string }[] }): string[] => body.actions.map(({ actionKey }) => actionKey);

const queryOf = (conditions: object): Record<string, string> => conditions as Record<string, string>;

const event = { source: 'stripe:test', id: 'evt 100%', occurredAt: '2026-10-20T03:00:00Z' };

test('an action is found by key, subject, account, operation, state, reference, event and time', async () => {
  const { claimToken, actionId } = await service.claim({
    account: 'shop:1',
    subject: 'w 842',
    operation: 'reserve',
    version: 2,
    event,
  });
  await service.claim({ account: 'shop:1', subject: 'w 842', operation: 'reserve', version: 2, event });
  await service.receipt({ claimToken, outcome: 'confirmed', references: ['RSV-1', 'RSV-2'] });
  await service.claim({ account: 'shop-2', subject: 'w 842', operation: 'mail' });
  const key = 'shop%3A1:w 842:reserve:v2';
  const second = new Date(Date.now() - 60_000).toISOString();
  for (const query of [
    { key },
    { subject: 'w 842', account: 'shop:1' },
    { subject: ' w 842 ', operation: 'reserve' },
    { account: 'shop:1' },
    { operation: 'reserve', state: 'confirmed' },
    { reference: 'RSV-2' },
    { event: 'stripe%3Atest:evt 100%25' },
    { from: second, operation: 'reserve' },
  ]) {
    const { status, body } = await service.get(`/v1/actions?${new URLSearchParams(queryOf(query)).toString()}`);
    expect({ query, status, keys: keysOf(body) }).toEqual({ query, status: 200, keys: [key] });
  }
  for (const query of [
    { to: second },
    { reference: 'RSV-3' },
    { key: 'a:b:c' },
    { subject: 'w 842', state: 'failed' },
    { event: 'stripe:evt' },
  ]) {
    const { body } = await service.get(`/v1/actions?${new URLSearchParams(queryOf(query)).toString()}`);
    expect({ query, ...body }).toEqual({ query, actions: [], nextCursor: null });
  }

  const { body: one } = await service.get(`/v1/actions/${actionId}`);
  expect(one).toMatchObject({
    actionId,
    actionKey: key,
    account: 'shop:1',
    subject: 'w 842',
    operation: 'reserve',
    version: 2,
    state: 'confirmed',
    attempt: 1,
    receipt: { reference: 'RSV-1' },
    references: ['RSV-1', 'RSV-2'],
    lease: null,
    claimable: false,
    events: [{ source: event.source, id: event.id, deliveries: 2, lastDecision: 'in_progress' }],
    summary: expect.stringContaining('RSV-1'),
  });
  expect(JSON.stringify(one)).not.toContain('ct_');
});

test('pages go through all of many actions, each once', async () => {
  const claims = Array.from({ length: 25 }, (_, index) => ({ subject: `page-${index}`, operation: 'paged' }));
  await service.post('/v1/claims', { claims });
  for (const condition of ['operation=paged', 'operation=paged&state=in_progress']) {
    const seen: string[] = [];
    let cursor: string | null = '';
    let pages = 0;
    while (cursor !== null) {
      const { body }: { body: Read } = await service.get(
        `/v1/actions?${condition}&limit=10${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...keysOf(body));
      cursor = body.nextCursor;
      pages++;
    }
    expect({ pages, found: new Set(seen).size, listed: seen.length }).toEqual({ pages: 3, found: 25, listed: 25 });
  }
});

test('the history tells all that happened and proves that nobody changed it', async () => {
  const { claimToken, actionId } = await service.claim({ subject: 'told', operation: 'o', details: { seats: 2 } });
  await service.receipt({ claimToken, outcome: 'unknown', cause: 'timeout', evidence: { code: 'ETIMEDOUT' } });
  await service.receipt({ claimToken, outcome: 'confirmed', reference: 'R' });
  const { body } = await service.get(`/v1/actions/${actionId}/history`);
  expect(body.verified).toBe(true);
  expect(body.entries).toMatchObject([
    { seq: 1, fromState: 'none', toState: 'in_progress', attempt: 1 },
    { seq: 2, fromState: 'in_progress', toState: 'unknown' },
    { seq: 3, fromState: 'unknown', toState: 'confirmed' },
  ]);
  expect(new Set((body.entries as { digest: string }[]).map(({ digest }) => digest)).size).toBe(3);
  await service.sql('ALTER TABLE action_ledger.history DISABLE TRIGGER ALL');
  await service.sql(
    `UPDATE action_ledger.history SET facts = '{}' WHERE seq = 2 AND action_no = (SELECT no FROM action_ledger.actions WHERE id = $1)`,
    [actionId],
  );
  expect((await service.get(`/v1/actions/${actionId}/history`)).body.verified).toBe(false);
});
