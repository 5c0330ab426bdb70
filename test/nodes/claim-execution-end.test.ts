import { Engine } from './engine';
import type { RunOptions, WorkflowDefinition } from './engine';
import { claimsAnswered, engineFor, guarded } from './claim-workflow';
import { nodeFrom } from './helper-nodes';
import { ledgerNodeTypes } from './ledger-nodes';
import type { Json } from './json';
import { agreeable, held, ScriptedLedger } from './scripted-ledger';

// The pauses between tries are right for people, not for tests.
jest.mock('n8n-workflow', () => {
  const actual = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
  return { ...actual, sleep: async (ms: number) => await actual.sleep(ms / 50) };
});

let ledger: ScriptedLedger;
let engine: Engine;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
});
afterAll(() => ledger.stop());
beforeEach(() => {
  ledger.answer(agreeable);
  engine = engineFor(ledger);
});

const run = (definition: WorkflowDefinition, options: RunOptions) => engine.run(definition, options);

describe('when the execution ends', () => {
  const holderOf = (received: Json) => received.body.holder;

  test('with a claim that got no receipt, the ledger hears it', async () => {
    await run(guarded(), { items: [{ orderId: 'a' }], executionId: '12', workflowId: 'wf' });
    const [ended] = ledger.asked('/v1/executions/ended');
    expect(ended!.body.cause).toBe('ended_without_receipt');
    expect(holderOf(ended)).toEqual({
      kind: 'n8n',
      instanceId: expect.stringMatching(/^[0-9a-f]{16,}$/),
      workflowId: 'wf',
      executionId: '12',
    });
  });

  test('because a later step failed, the ledger hears it', async () => {
    const failing = new Engine({
      nodeTypes: {
        ...ledgerNodeTypes,
        'test.step': nodeFrom(() => {
          throw new Error('booking broke');
        }),
      },
      credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test' } },
    });
    const definition = guarded();
    delete definition.nodes[2]!.onError;
    const done = await failing.run(definition, { items: [{ orderId: 'a' }] });
    expect(done.error?.message).toBe('booking broke');
    expect(ledger.asked('/v1/executions/ended')).toHaveLength(1);
  });

  test('with nothing granted, nothing is told', async () => {
    ledger.answer(claimsAnswered((claim) => held(claim, 'already_done')));
    await run(guarded(), { items: [{ orderId: 'a' }] });
    expect(ledger.asked('/v1/executions/ended')).toEqual([]);
  });

  test('because it was stopped in the guarded step, the ledger hears it', async () => {
    let cancel = () => {};
    const stopping = new Engine({
      nodeTypes: {
        ...ledgerNodeTypes,
        'test.step': nodeFrom(async function () {
          cancel();
          await new Promise((resolve) => setTimeout(resolve, 20));
          return [this.getInputData()];
        }),
      },
      credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test' } },
    });
    const heard = new Promise((resolve) =>
      ledger.answer((received, earlier) => {
        if (received.path === '/v1/executions/ended') resolve(received.body.cause);
        return agreeable(received, earlier);
      }),
    );
    void stopping.run(guarded(), { items: [{ orderId: 'a' }], onStart: (execution) => (cancel = execution.cancel) });
    expect(await heard).toBe('ended_without_receipt');
  });

  test('because it was stopped during the claim, the claim is given back', async () => {
    const done = await new Promise<{ released: unknown[] }>((resolve) => {
      let cancel = () => {};
      ledger.answer(async (received, earlier) => {
        if (received.path === '/v1/claims') {
          cancel();
          await new Promise((later) => setTimeout(later, 50));
        }
        if (received.path === '/v1/releases') setTimeout(() => resolve({ released: received.body.releases }), 10);
        return agreeable(received, earlier);
      });
      void run(guarded(), { items: [{ orderId: 'a' }], onStart: (execution) => (cancel = execution.cancel) });
    });
    expect(done.released).toEqual([expect.objectContaining({ subject: 'a', position: 0 })]);
  });
});
