import { connect, Engine } from './engine';
import { ledgerNode, ledgerNodeTypes, start } from './ledger-nodes';
import { LEDGER_ID, ScriptedLedger } from './scripted-ledger';
import type { Answer } from './scripted-ledger';

jest.mock('n8n-workflow', () => {
  const actual = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
  return { ...actual, sleep: async (ms: number) => await actual.sleep(ms / 50) };
});

let ledger: ScriptedLedger;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
});
afterAll(() => ledger.stop());

const ok = (body: object): Answer => ({ status: 200, body, headers: { 'x-ledger-id': LEDGER_ID } });
const action = {
  actionId: 'act-1',
  actionKey: 'default:842:reserve-seat',
  state: 'unknown',
  attempt: 2,
  historySeq: 5,
  summary: ['Claimed twice.'],
};

async function run(
  type: string,
  parameters: Record<string, unknown>,
  items: Array<Record<string, unknown>> = [{}],
  onError = 'stopWorkflow',
) {
  const engine = new Engine({
    nodeTypes: ledgerNodeTypes,
    credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test', ledgerId: LEDGER_ID } },
  });
  const node = ledgerNode('Node', type, parameters as never, { onError: onError as never });
  return await engine.run({ nodes: [start(), node], connections: connect({ Start: [['Node']] }) }, { items });
}

describe('Reconcile Unknown: Get Due', () => {
  test('takes what is due, once for all input items', async () => {
    ledger.answer(() => ok({ actions: [action] }));
    const parameters = {
      operation: 'getDue',
      operationName: { __rl: true, mode: 'name', value: 'reserve-seat' },
      limit: 5,
      dueOptions: { leaseSeconds: 60 },
    };
    const done = await run('reconcileUnknown', parameters, [{}, {}]);
    expect(ledger.received.map(({ path, body }) => ({ path, body }))).toEqual([
      { path: '/v1/reconciliations/lease', body: { limit: 5, operation: 'reserve-seat', leaseSeconds: 60 } },
    ]);
    expect(done.json('Node')).toEqual([action]);
    expect(done.output('Node')[0]!.pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
  });

  test('of all operations by default', async () => {
    ledger.answer(() => ok({ actions: [] }));
    const done = await run('reconcileUnknown', { operation: 'getDue' });
    expect(ledger.received[0]!.body).toEqual({ limit: 50 });
    expect(done.json('Node')).toEqual([]);
  });

  test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'])(
    'a ledger that cannot say: %s',
    async (onError) => {
      ledger.answer(() => ({ status: 503, body: { code: 'ledger_unavailable', title: 'Not now', status: 503 } }));
      const done = await run('reconcileUnknown', { operation: 'getDue' }, [{ a: 1 }], onError);
      expect(ledger.received).toHaveLength(1);
      if (onError === 'stopWorkflow') expect(done.error?.message).toBe('Not now');
      else expect(done.json('Node', onError === 'continueErrorOutput' ? 1 : 0)[0]!.error.message).toBe('Not now');
    },
  );
});

describe('Reconcile Unknown: Resolve', () => {
  const resolved = () =>
    ok({ result: 'resolved', warnings: ['Within the settle time.'], action: { ...action, state: 'confirmed' } });

  test.each([
    [
      { outcome: 'happened', reference: 'RSV-1' },
      { outcome: 'happened', reference: 'RSV-1', foundBy: 'lookup' },
    ],
    [
      { outcome: 'not_happened', reason: 'Looked twice', foundBy: 'person', by: 'Kim', reference: 'left over' },
      { outcome: 'not_happened', reason: 'Looked twice', foundBy: 'person', by: 'Kim' },
    ],
    [
      {
        outcome: 'still_unknown',
        note: 'Booking system is down',
        resolveOptions: { owner: 'ops', nextCheckAt: '2026-10-21T03:00:00Z' },
      },
      {
        outcome: 'still_unknown',
        reason: 'Booking system is down',
        owner: 'ops',
        nextCheckAt: '2026-10-21T03:00:00.000Z',
        foundBy: 'lookup',
      },
    ],
    [
      {
        outcome: 'happened',
        resolveOptions: { evidence: '{"status": "booked", "token": "t"}', attempt: 3, historySeq: 9 },
      },
      {
        outcome: 'happened',
        evidence: { status: 'booked', token: '***' },
        foundBy: 'lookup',
        attempt: 3,
        historySeq: 9,
      },
    ],
  ])('%j', async (parameters, body) => {
    ledger.answer(resolved);
    const done = await run('reconcileUnknown', { operation: 'resolve', ...parameters }, [action]);
    expect(done.error).toBeUndefined();
    expect(ledger.received[0]).toMatchObject({ method: 'POST', path: '/v1/actions/act-1/resolution' });
    expect(ledger.received[0]!.body).toEqual({ attempt: 2, historySeq: 5, ...body });
    expect(done.json('Node')[0]).toMatchObject({
      actionId: 'act-1',
      resolution: { result: 'resolved', warnings: ['Within the settle time.'] },
    });
  });

  test('a stale fence is no error: the item says what changed', async () => {
    ledger.answer(() => ({
      status: 409,
      body: {
        code: 'stale_resolution',
        title: 'The action moved on',
        detail: 'It was confirmed at attempt 3.',
        status: 409,
      },
    }));
    const done = await run('reconcileUnknown', { operation: 'resolve', outcome: 'happened', reference: 'R' }, [action]);
    expect(done.json('Node')[0]!.resolution).toEqual({
      result: 'stale_resolution',
      reason: 'The action moved on',
      changed: 'It was confirmed at attempt 3.',
    });
  });

  test.each([
    [{ actionId: 'a' }, 'has no attempt'],
    [{ actionId: 'a', attempt: 1 }, 'has no historySeq'],
    [{ attempt: 1, historySeq: 1 }, 'Action ID is empty'],
  ])('%j is not enough', async (item, message) => {
    ledger.answer(resolved);
    const done = await run('reconcileUnknown', { operation: 'resolve', outcome: 'happened', reference: 'R' }, [item]);
    expect(done.error?.message).toContain(message);
    expect(ledger.received).toEqual([]);
  });

  test.each([
    [{ evidence: '[1]' }, 'not a JSON object'],
    [{ nextCheckAt: 'tomorrow' }, 'not a time'],
  ])('%j is refused', async (resolveOptions, message) => {
    ledger.answer(resolved);
    const done = await run('reconcileUnknown', { operation: 'resolve', outcome: 'still_unknown', resolveOptions }, [
      action,
    ]);
    expect(done.error?.message).toContain(message);
  });

  test('a lost answer is not sent again, and says that it may be recorded', async () => {
    ledger.answer(() => 'reset');
    const done = await run('reconcileUnknown', { operation: 'resolve', outcome: 'happened', reference: 'R' }, [action]);
    expect(ledger.received).toHaveLength(1);
    expect(done.error?.description).toContain('not known whether the resolution was recorded');
  });

  test('under Continue each item stands for itself', async () => {
    ledger.answer(({ path }) =>
      path.includes('bad')
        ? { status: 404, body: { code: 'action_unknown', title: 'No such action', status: 404 } }
        : resolved(),
    );
    const items = [{ ...action, actionId: 'bad' }, action];
    const done = await run(
      'reconcileUnknown',
      { operation: 'resolve', outcome: 'happened', reference: 'R' },
      items,
      'continueErrorOutput',
    );
    expect(done.json('Node', 0).map(({ actionId }) => actionId)).toEqual(['act-1']);
    expect(done.json('Node', 1)[0]!.error.code).toBe('action_unknown');
  });
});

describe('Look Up Action', () => {
  const answers = (actions: object[]) =>
    ledger.answer(({ path }) =>
      path.endsWith('/history')
        ? ok({ entries: [{ seq: 1, kind: 'claim' }], verified: true })
        : ok({ actions, nextCursor: null }),
    );

  test.each([
    [{ by: 'key', key: 'default:842:reserve-seat' }, { key: 'default:842:reserve-seat' }],
    [{ by: 'subject', subject: 842 }, { subject: '842' }],
    [
      { by: 'subject', subject: '842', options: { account: 'shop-1' } },
      { subject: '842', account: 'shop-1' },
    ],
    [{ by: 'reference', reference: 'RSV-1' }, { reference: 'RSV-1' }],
    [{ by: 'event', eventSource: 'shop:1', eventId: 'evt_1%' }, { event: 'shop%3A1:evt_1%25' }],
  ])('%j', async (parameters, query) => {
    answers([action]);
    const done = await run('lookUpAction', parameters);
    expect(Object.fromEntries(ledger.received[0]!.query)).toEqual({ ...query, limit: '50' });
    expect(done.json('Node')).toEqual([
      { found: true, ...action, history: [{ seq: 1, kind: 'claim' }], historyVerified: true },
    ]);
  });

  test('without history, with a limit', async () => {
    answers([action, action]);
    const done = await run('lookUpAction', {
      by: 'subject',
      subject: '842',
      limit: 2,
      options: { includeHistory: false },
    });
    expect(ledger.received.map(({ path }) => path)).toEqual(['/v1/actions']);
    expect(done.json('Node')).toHaveLength(2);
  });

  test('says in words that there is nothing', async () => {
    answers([]);
    const done = await run('lookUpAction', { by: 'subject', subject: '842' });
    expect(done.json('Node')[0]).toMatchObject({
      found: false,
      summary: expect.stringContaining('no action for subject 842'),
    });
  });

  test('asks again when reading fails for a moment', async () => {
    ledger.answer((_, earlier) => (earlier === 0 ? 'reset' : ok({ actions: [] })));
    expect((await run('lookUpAction', { by: 'subject', subject: '842' })).error).toBeUndefined();
  });

  test.each(['stopWorkflow', 'continueErrorOutput'])('a ledger that refuses: %s', async (onError) => {
    ledger.answer(() => ({
      status: 403,
      body: { code: 'scope_missing', title: 'The key lacks the scope read', status: 403 },
    }));
    const done = await run('lookUpAction', { by: 'subject', subject: '842' }, [{ a: 1 }], onError);
    if (onError === 'stopWorkflow') expect(done.error?.message).toBe('The key lacks the scope read');
    else expect(done.json('Node', 1)[0]).toMatchObject({ a: 1, error: { code: 'scope_missing' } });
  });

  test('nothing is looked up for nothing', async () => {
    answers([]);
    expect((await run('lookUpAction', { by: 'key', key: '={{ $json.missing }}' })).error?.message).toBe(
      'The Action Key is empty',
    );
    expect(ledger.received).toEqual([]);
  });
});
