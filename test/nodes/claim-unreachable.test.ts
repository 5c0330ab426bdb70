import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

import { connect, Engine } from './engine';
import type { WorkflowDefinition } from './engine';
import { noOp } from './helper-nodes';
import { claimNode, ledgerNodeTypes, start } from './ledger-nodes';
import { agreeable, batch, LEDGER_ID, proceed, ScriptedLedger } from './scripted-ledger';
import type { Script } from './scripted-ledger';
import type { Json } from './json';

// The pauses between tries are right for people, not for tests.
jest.mock('n8n-workflow', () => {
  const actual = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
  return { ...actual, sleep: async (ms: number) => await actual.sleep(ms / 50) };
});

let ledger: ScriptedLedger;
let closedPort: number;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
  closedPort = await freePort();
});
afterAll(() => ledger.stop());

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function engine(credential: Record<string, string>): Engine {
  return new Engine({
    nodeTypes: { ...ledgerNodeTypes, 'test.step': noOp },
    credentials: { ledger: { apiKey: 'al_test', ...credential } },
  });
}

function workflow(onError: string | undefined, parameters = {}): WorkflowDefinition {
  return {
    nodes: [
      start(),
      claimNode('Claim', { onError: onError as never, parameters }),
      { name: 'Proceed', type: 'test.step' },
      { name: 'Already Done', type: 'test.step' },
      { name: 'Hold', type: 'test.step' },
      { name: 'Error', type: 'test.step' },
    ],
    connections: connect({ Start: [['Claim']], Claim: [['Proceed'], ['Already Done'], ['Hold'], ['Error']] }),
  };
}

const MODES = [
  { name: 'Stop', onError: 'stopWorkflow' },
  { name: 'Continue', onError: 'continueRegularOutput' },
  { name: 'Continue (using error output)', onError: 'continueErrorOutput' },
];

const wrongAnswers: Record<string, Script> = {
  'answers 500': () => ({ status: 500, body: {} }),
  'answers 503 with a problem': () => ({
    status: 503,
    body: { code: 'ledger_unavailable', title: 'The ledger cannot decide now', status: 503, hint: 'Try again.' },
  }),
  'answers 401': () => ({ status: 401, body: { code: 'unauthorized', title: 'The key is not known', status: 401 } }),
  'answers 200 with a page': () => ({
    status: 200,
    body: '<html>proceed</html>',
    headers: { 'content-type': 'text/html' },
  }),
  'answers 200 with nothing': () => ({ status: 200, body: '' }),
  'answers without a ledger ID': ({ body }) => ({
    status: 200,
    body: { results: body.claims.map((claim) => proceed(claim)) },
  }),
  'answers too few results': ({ body }) => batch(body.claims.slice(1).map((claim) => proceed(claim))),
  'answers proceed without a token': ({ body }) =>
    batch(body.claims.map((claim: Json) => ({ ...proceed(claim), claimToken: null }))),
  'answers proceed without a lease': ({ body }) =>
    batch(body.claims.map((claim: Json) => ({ ...proceed(claim), leaseMs: 0 }))),
  ...Object.fromEntries(
    Object.entries<Json>({
      'attempt 0': { attempt: 0 },
      'half an attempt': { attempt: 1.5 },
      'an action that is confirmed': { state: 'confirmed' },
      'no state': { state: null },
      'an error': { error: { code: 'invalid_key', title: 'No', status: 422 } },
      'an error that is null': { error: null },
      'the key of another action': { actionKey: 'default:order-9:reserve-seat' },
      'the key of another version': { actionKey: 'default:order-0:reserve-seat:v2' },
    }).map(([what, more]) => [
      `answers proceed with ${what}`,
      ({ body }) =>
        batch(body.claims.map((claim: Json, at: number) => ({ ...proceed(claim), ...(at === 0 ? more : {}) }))),
    ]),
  ),
  'answers with a redirect': () => ({ status: 307, headers: { location: 'http://127.0.0.1:1/v1/claims' } }),
  'cuts the connection': () => 'reset',
};

describe.each(MODES)('Claim Action with On Error: $name', ({ onError }) => {
  const continues = onError !== 'stopWorkflow';

  async function letsNothingThrough(credential: Record<string, string>, count: number, parameters = {}) {
    const items = Array.from({ length: count }, (_, index) => ({ orderId: `order-${index}` }));
    const run = await engine(credential).run(workflow(onError, parameters), { items });

    expect(run.json('Proceed')).toEqual([]);
    expect(run.wasExecuted('Proceed')).toBe(false);
    expect(run.wasExecuted('Already Done')).toBe(false);
    if (!continues) {
      expect(run.error?.message).toEqual(expect.any(String));
      expect(run.wasExecuted('Hold')).toBe(false);
      return run;
    }
    expect(run.error).toBeUndefined();
    const branch = onError === 'continueErrorOutput' ? 'Error' : 'Hold';
    const left = run.json(branch);
    expect(left).toHaveLength(count);
    for (const json of left) {
      expect(json.error).toMatchObject({ message: expect.any(String), code: expect.any(String) });
      expect(json.error.description).toContain('nothing was executed');
    }
    expect(run.output(branch).map(({ pairedItem }) => pairedItem)).toEqual(
      items.map((_, item) => expect.objectContaining({ item })),
    );
    return run;
  }

  test.each([1, 1_000])('lets nothing through Proceed when nothing listens at the address, %i items', async (count) => {
    const run = await letsNothingThrough({ baseUrl: `http://127.0.0.1:${closedPort}` }, count);
    const said = continues ? run.json(onError === 'continueErrorOutput' ? 'Error' : 'Hold')[0]!.error : run.error;
    expect(said).toMatchObject({ message: 'The Action Ledger cannot be reached' });
    if (continues) expect(said.code).toBe('ledger_unreachable');
  });

  test.each(Object.keys(wrongAnswers))('lets nothing through Proceed when the ledger %s', async (name) => {
    ledger.answer((received, earlier) =>
      received.path === '/v1/claims' ? wrongAnswers[name]!(received, earlier) : agreeable(received, earlier),
    );
    await letsNothingThrough({ baseUrl: ledger.url }, 3);
    if (name.startsWith('answers proceed')) {
      const { requestToken } = ledger.asked('/v1/claims')[0]!.body;
      const released = ledger.asked('/v1/releases').flatMap(({ body }) => body.releases);
      for (const position of [0, 1, 2]) {
        expect(released).toContainEqual(expect.objectContaining({ requestToken, position }));
      }
    }
  });

  test('follows no redirect to a ledger that would say yes', async () => {
    const other = await ScriptedLedger.start();
    other.answer(agreeable);
    ledger.answer(({ path }) => ({ status: 307, headers: { location: `${other.url}${path}` } }));
    try {
      await letsNothingThrough({ baseUrl: ledger.url }, 1);
      expect(other.received).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  test('lets nothing through Proceed when another ledger answers', async () => {
    ledger.answer(agreeable);
    const run = await letsNothingThrough({ baseUrl: ledger.url, ledgerId: 'the-right-one' }, 2);
    const said = continues ? JSON.stringify(run.run.data.resultData.runData) : JSON.stringify(run.error);
    expect(said).toContain(LEDGER_ID);
  });

  test('lets nothing through Proceed with an address that is none', async () => {
    await letsNothingThrough({ baseUrl: 'ledger' }, 2);
  });

  test.each(['al_two words', 'al_test\n', 'al_te\u0000st', 'al_tést', 'al_test\u00a0'])(
    'sends nothing with the API key %j',
    async (apiKey) => {
      ledger.answer(agreeable);
      const run = await letsNothingThrough({ baseUrl: ledger.url, apiKey }, 2);
      const said = continues ? run.json(onError === 'continueErrorOutput' ? 'Error' : 'Hold')[0]!.error : run.error;
      expect(said.message).toContain('The API key of the Action Ledger credential cannot be used');
      if (continues) expect(said.code).toBe('credential_unusable');
      expect(JSON.stringify(said)).not.toContain(apiKey);
      expect(ledger.received).toEqual([]);
    },
  );

  test.each([
    ['is empty', '={{ $json.orderId.no.such.thing }}'],
    ['fails', "={{ $('No Such Node').item.json.orderId }}"],
  ])('lets nothing through Proceed with a Business ID whose expression %s', async (_, businessId) => {
    ledger.answer(agreeable);
    await letsNothingThrough({ baseUrl: ledger.url }, 2, { businessId });
    expect(ledger.asked('/v1/claims')).toHaveLength(0);
  });

  test('gives back what was granted when a later call fails, for 1,000 items', async () => {
    ledger.answer((received, earlier) => {
      if (received.path !== '/v1/claims' || received.body.claims[0].subject === 'order-0')
        return agreeable(received, earlier);
      return { status: 503, body: { code: 'ledger_unavailable', title: 'Not now', status: 503 } };
    });
    await letsNothingThrough({ baseUrl: ledger.url }, 1_000);

    const released = ledger.asked('/v1/releases').flatMap(({ body }) => body.releases);
    expect(released).toHaveLength(1_000);
    expect(released.filter(({ claimToken }: Json) => claimToken !== undefined)).toHaveLength(500);
    // The second call's answer was lost: the ledger finds what it may have granted by token and place.
    const second = ledger.asked('/v1/claims').at(-1)!.body;
    expect(released[500]).toMatchObject({ requestToken: second.requestToken, position: 0, subject: 'order-500' });
  });
});

test('a missing credential stops the node, or leaves on the error output', async () => {
  for (const { onError } of MODES) {
    const bare = new Engine({ nodeTypes: { ...ledgerNodeTypes, 'test.step': noOp }, credentials: {} });
    const run = await bare.run(workflow(onError), { items: [{ orderId: 'a' }] });
    expect(run.wasExecuted('Proceed')).toBe(false);
    expect(run.error === undefined).toBe(onError !== 'stopWorkflow');
  }
});
