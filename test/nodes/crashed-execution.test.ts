import { connect, Engine } from './engine';
import type { WorkflowDefinition } from './engine';
import { ledgerNode, ledgerNodeTypes, start } from './ledger-nodes';
import { agreeable, ScriptedLedger } from './scripted-ledger';

let ledger: ScriptedLedger;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
});
afterAll(() => ledger.stop());
beforeEach(() => ledger.answer(agreeable));

describe('a crashed execution', () => {
  const errorTrigger = {
    execution: { id: '231', error: { message: 'crashed' } },
    workflow: { id: 'wf-1', name: 'Booking' },
  };
  const definition = (more = {}): WorkflowDefinition => ({
    nodes: [start(), ledgerNode('Receipt', 'recordReceipt', { recordFor: 'crashedExecution' }, more)],
    connections: connect({ Start: [['Receipt']] }),
  });
  const engine = () =>
    new Engine({ nodeTypes: ledgerNodeTypes, credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test' } } });

  test('of this instance: the ledger makes unknown what it still holds', async () => {
    const abandoned = [{ actionId: 'a', actionKey: 'default:842:reserve-seat', state: 'unknown' }];
    ledger.answer((received, earlier) =>
      received.path === '/v1/executions/ended'
        ? { status: 200, body: { ledgerId: 'l', abandoned } }
        : agreeable(received, earlier),
    );
    const done = await engine().run(definition(), { items: [errorTrigger] });
    expect(ledger.asked('/v1/executions/ended')[0]!.body).toEqual({
      holder: { kind: 'n8n', instanceId: expect.any(String), workflowId: 'wf-1', executionId: '231' },
      cause: 'execution_crashed',
    });
    expect(done.json('Receipt', 2)[0]).toMatchObject({
      crashedExecution: { executionId: '231', abandoned },
      workflow: { name: 'Booking' },
    });
  });

  test('without an execution ID there is nothing to record', async () => {
    const done = await engine().run(definition(), {
      items: [{ trigger: { mode: 'trigger' }, workflow: { id: 'wf-1' } }],
    });
    expect(done.error?.message).toBe('The Execution ID is empty');
    const going = await engine().run(definition({ onError: 'continueRegularOutput' }), {
      items: [{ workflow: { id: 'wf-1' } }],
    });
    expect(going.json('Receipt', 2)[0]).toMatchObject({ error: { message: 'The Execution ID is empty' } });
    expect(ledger.asked('/v1/executions/ended')).toEqual([]);
  });
});
