import { type TSchema } from '@sinclair/typebox';
import * as actions from '../../../ledger-service/src/http/schemas/actions';
import * as claims from '../../../ledger-service/src/http/schemas/claims';
import * as held from '../../../ledger-service/src/http/schemas/held-claims';
import { requestToken } from '../../../ledger-service/src/http/schemas/field-types';
import * as operations from '../../../ledger-service/src/http/schemas/operations';
import * as reconciliation from '../../../ledger-service/src/http/schemas/reconciliation';
import { badCases, type BadCase, withCase, written } from './bad-values';
import { RunningService } from './running-service';

// Every field of every route, wrong in every way that its schema allows to think of: always a 4xx problem that names the
// field, and nothing changed. The cases are written down from the schemas, so a new field is tried as soon as it exists.

let service: RunningService;
let token: string;
let unknownAction: { actionId: string; attempt: number; historySeq: number };
let confirmedAction: { actionId: string; attempt: number; historySeq: number };

beforeAll(async () => {
  service = await RunningService.start();
  token = (await service.claim({ subject: 'held', operation: 'send', holder: HOLDER })).claimToken;
  unknownAction = await leftAs('unknown');
  confirmedAction = await leftAs('confirmed');
});

afterAll(() => service.stop());

async function leftAs(outcome: string): Promise<typeof unknownAction> {
  const { claimToken } = await service.claim({ subject: outcome, operation: 'send' });
  return service.receipt({ claimToken, outcome });
}

const HOLDER = { kind: 'n8n', instanceId: 'i', workflowId: 'w', executionId: '1', node: 'Claim', mode: 'webhook' };

interface Route {
  name: string;
  method: 'POST' | 'PUT';
  url: () => string;
  /** What is sent when nothing is wrong: every field, so that each can be made wrong. */
  valid: () => unknown;
  schema: TSchema;
  /** For calls with many items: the name of their list. */
  list?: string;
}

const item = (list: string, schema: TSchema, valid: () => object): Route => ({
  name: `an item of POST /v1/${list}`,
  method: 'POST',
  url: () => `/v1/${list}`,
  valid,
  schema,
  list,
});

const ROUTES: Route[] = [
  item('claims', claims.Claim, () => ({
    account: 'a',
    subject: 's',
    operation: 'o',
    version: 1,
    event: { source: 's', id: 'e', occurredAt: '2026-10-20T03:00:00Z' },
    subjectVersion: { stream: 'x', value: 1 },
    details: { a: 1 },
    leaseSeconds: 30,
    holder: { ...HOLDER, sendsIdempotencyKey: true },
  })),
  item('actions', claims.Registration, () => ({
    account: 'a',
    subject: 's',
    operation: 'o',
    version: 1,
    details: { a: 1 },
    dueAt: '2026-10-20T03:00:00Z',
  })),
  item('receipts', held.ReceiptRequest, () => ({
    claimToken: token,
    outcome: 'confirmed',
    reference: 'R',
    references: ['R'],
    evidence: { a: 1 },
    cause: 'c',
    holder: HOLDER,
  })),
  item('heartbeats', held.HeartbeatRequest, () => ({ claimToken: token })),
  item('releases', held.ReleaseRequest, () => ({
    requestToken: 't',
    position: 0,
    account: 'a',
    subject: 's',
    operation: 'o',
    version: 1,
  })),
  {
    name: 'POST /v1/executions/ended',
    method: 'POST',
    url: () => '/v1/executions/ended',
    valid: () => ({ holder: HOLDER, cause: 'execution_crashed' }),
    schema: held.EndedBody,
  },
  {
    name: 'POST /v1/reconciliations/lease',
    method: 'POST',
    url: () => '/v1/reconciliations/lease',
    valid: () => ({ limit: 1, operation: 'send', leaseSeconds: 1 }),
    schema: reconciliation.LeaseBody,
  },
  {
    name: 'POST /v1/actions/{id}/resolution',
    method: 'POST',
    url: () => `/v1/actions/${unknownAction.actionId}/resolution`,
    valid: () => ({
      outcome: 'happened',
      attempt: unknownAction.attempt,
      historySeq: unknownAction.historySeq,
      reference: 'R',
      references: ['R'],
      evidence: { a: 1 },
      reason: 'r',
      owner: 'o',
      nextCheckAt: '2026-10-20T03:00:00Z',
      by: 'b',
      foundBy: 'person',
    }),
    schema: reconciliation.ResolutionBody,
  },
  {
    name: 'POST /v1/actions/{id}/override',
    method: 'POST',
    url: () => `/v1/actions/${confirmedAction.actionId}/override`,
    valid: () => ({
      attempt: confirmedAction.attempt,
      historySeq: confirmedAction.historySeq,
      by: 'b',
      secondPerson: 'c',
      reason: 'r',
    }),
    schema: reconciliation.OverrideBody,
  },
  {
    name: 'PUT /v1/operations/{name}',
    method: 'PUT',
    url: () => '/v1/operations/send',
    valid: () => ({ leaseSeconds: 60, destinationIdempotency: 'key', destinationWindowSeconds: 60, safeRepeat: true }),
    schema: operations.OperationBody,
  },
  ...[claims.claimBatch, claims.registrationBatch, held.receiptBatch, held.heartbeatBatch, held.releaseBatch].map(
    ({ name, envelope }): Route => ({
      name: `the envelope of POST /v1/${name}`,
      method: 'POST',
      url: () => `/v1/${name}`,
      valid: () => ({ [name]: [{ claimToken: token, subject: 's', operation: 'o', outcome: 'confirmed' }] }),
      schema: envelope,
    }),
  ),
];

/** Wrong in another way than by its schema, so that the field named is another one. */
const ELSEWHERE: Record<string, string> = {
  // Without a claim token a release goes by its call, and what is missing is then a part of that.
  'an item of POST /v1/releases: claimToken': 'requestToken',
};

describe.each(ROUTES)('$name', (route) => {
  const cases = badCases(route.schema).filter(
    // The items of an envelope are tried as items.
    ({ path }) => !route.name.startsWith('the envelope') || path.length < 2,
  );

  test(`${cases.length} wrong values are refused by name and change nothing`, async () => {
    expect(cases.length).toBeGreaterThan(5);
    const before = await service.contents();
    const failures: string[] = [];
    for (const one of cases) {
      const failure = await refusal(route, one);
      if (failure !== null) failures.push(`${written(one.path)}: ${one.what}: ${failure}`);
      else if ((await service.contents()) !== before)
        failures.push(`${written(one.path)}: ${one.what}: it changed something`);
      if (failures.length >= 20) break;
    }
    expect(failures).toEqual([]);
  }, 60_000);
});

async function refusal(route: Route, one: BadCase): Promise<string | null> {
  const { list } = route;
  const path = list === undefined ? one.path : [list, 0, ...one.path];
  const valid = list === undefined ? route.valid() : { [list]: [route.valid()] };
  const { status, body } = await service.call(route.method, route.url(), undefined, {
    raw: withCase(valid, { ...one, path }),
  });
  const problem = list !== undefined && status === 200 ? body.results[0].error : body;
  if (problem === undefined) return `it was taken: ${JSON.stringify(body)}`;
  if (problem.status < 400 || problem.status >= 500) return `it was answered ${problem.status}: ${problem.detail}`;
  const expected = written(path) === '' ? 'body' : written(path);
  const named = String(problem.field);
  const elsewhere = ELSEWHERE[`${route.name}: ${written(one.path)}`];
  const names =
    named === expected ||
    named.startsWith(`${expected}.`) ||
    named.startsWith(`${expected}[`) ||
    (elsewhere !== undefined && named.endsWith(elsewhere));
  return names ? null : `it named the field "${named}" instead of "${expected}": ${problem.detail}`;
}

describe('addresses', () => {
  // In an address everything is text, and half characters cannot be written; both are tried below as they come.
  const search = badCases(actions.ActionSearch).filter(
    ({ path, what, value }) =>
      path.length > 0 && what !== 'a number as text' && typeof value === 'string' && !/\p{Cs}/u.test(value),
  );

  test.each([
    ...search.map(({ path, what, value }) => [
      written(path),
      what,
      `/v1/actions?${new URLSearchParams({ [String(path[0])]: String(value) }).toString()}`,
    ]),
    ['unheard_of', 'unknown', '/v1/actions?unheard_of=1'],
    ['__proto__', 'a prototype', '/v1/actions?__proto__=1'],
    ['limit', 'given twice', '/v1/actions?limit=1&limit=2'],
    ['limit', 'no number', '/v1/actions?limit=ten'],
    ['limit', 'empty', '/v1/actions?limit='],
    ['limit', 'too many', '/v1/actions?limit=201'],
    ['limit', 'beyond 2^53', '/v1/actions?limit=9007199254740993'],
    ['subject', 'half a character', '/v1/actions?subject=%ED%A0%80'],
    ['subject', 'no UTF-8', '/v1/actions?subject=%ff'],
    ['subject', 'a broken escape', '/v1/actions?subject=%zz'],
    ['key', 'no key', '/v1/actions?key=only-one-part'],
    ['key', 'a version that is none', '/v1/actions?key=a:b:c:d'],
    ['event', 'no event', '/v1/actions?event=only-one-part'],
    ['event.id', 'an event without an ID', '/v1/actions?event=stripe:'],
    ['cursor', 'made up', '/v1/actions?cursor=abc'],
    ['id', 'no UUID', '/v1/actions/abc'],
    ['id', 'no UUID', '/v1/actions/abc/history'],
    ['path', 'a broken escape', '/v1/actions/%zz'],
    ['path', 'half a character', '/v1/operations/%ED%A0%80'],
    ['name', 'NUL', '/v1/operations/a%00b'],
    ['name', '201 bytes', `/v1/operations/${'x'.repeat(201)}`],
    ['search', 'NUL', '/v1/operations?search=a%00b'],
    ['cursor', 'made up', '/v1/operations?cursor=%21'],
  ])('%s: %s', async (field, _what, url) => {
    const { status, body } = await service.get(url);
    expect({ status, field: body.field }).toEqual({ status: 400, field });
  });

  test('an action of nobody, and one of another workspace, is a 404', async () => {
    const key = await service.newKey(['read', 'reconcile', 'admin'], { workspace: 'another' });
    const { actionId, ...fence } = unknownAction;
    for (const [method, url, body] of [
      ['GET', `/v1/actions/${actionId}`, undefined],
      ['GET', `/v1/actions/${actionId}/history`, undefined],
      ['POST', `/v1/actions/${actionId}/resolution`, { ...fenceOf(fence), outcome: 'happened', reference: 'R' }],
      ['POST', `/v1/actions/${actionId}/override`, { ...fenceOf(fence), by: 'a', secondPerson: 'b', reason: 'c' }],
    ] as const) {
      const before = await service.contents();
      const answer = await service.call(method, url, body, { key });
      expect({ url, status: answer.status, code: answer.body.code }).toEqual({
        url,
        status: 404,
        code: 'action_unknown',
      });
      expect(await service.contents()).toBe(before);
    }
  });
});

const fenceOf = ({ attempt, historySeq }: { attempt: number; historySeq: number }): object => ({ attempt, historySeq });

test('the request token is tried in the header as in the body', async () => {
  const before = await service.contents();
  const claimed = { claims: [{ subject: 's', operation: 'o' }] };
  const texts = badCases(requestToken()).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  for (const value of texts.filter((text) => /^[\x20-\x7e]*$/.test(text))) {
    const { status, body } = await service.post('/v1/claims', claimed, {
      headers: { 'idempotency-key': `"${value}"` },
    });
    expect({ value, status, field: body.field }).toEqual({ value, status: 400, field: 'Idempotency-Key' });
  }
  expect(await service.contents()).toBe(before);
});

test('one wrong item does not fail its neighbours', async () => {
  const wrong = badCases(claims.Claim).map((one) => ({
    one,
    text: withCase({ subject: 'w', operation: 'o' }, one),
  }));
  const mixable = wrong.filter(({ text }) => !/"(__proto__|constructor)":/.test(text) && text.length < 50_000);
  const right = mixable.map((_, index) => JSON.stringify({ subject: `right-${index}`, operation: 'neighbour' }));
  const all = mixable.flatMap(({ text }, index) => [text, right[index]]);
  const { status, body } = await service.call('POST', '/v1/claims', undefined, {
    raw: `{"claims":[${all.join(',')}]}`,
  });
  expect(status).toBe(200);
  expect(body.results).toHaveLength(all.length);
  (body.results as object[]).forEach((result, index) => {
    if (index % 2 === 0) expect(result).toMatchObject({ error: { status: 400 } });
    else expect(result).toMatchObject({ decision: 'proceed' });
  });
});
