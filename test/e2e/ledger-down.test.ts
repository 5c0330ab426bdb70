import { latestExecution } from './stack/run-data';
import type { SavedWorkflow, WorkflowNode } from './stack/n8n-session';
import { postToWebhook } from './stack/webhook';
import { bookSeat, chain, claimAction, code, publish, webhook, workflow } from './workflow/build';
import { effectsOf, settled } from './workshop/effects';
import { deliver, newOrderId, paymentEvent } from './workshop/payment-event';

const modes = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
const workflows = new Map<string, SavedWorkflow>();
/** Where an error item is expected: nowhere, on *Hold*, on the error output. */
const errorOutput = { stopWorkflow: undefined, continueRegularOutput: 2, continueErrorOutput: 3 };

beforeAll(async () => {
  for (const mode of modes) workflows.set(mode, await publish(guarded(`ledger-down-${mode}`, mode)));
  await stack.ledger.stop();
});

afterAll(async () => {
  await stack.ledger.start();
});

function guarded(path: string, onError: WorkflowNode['onError']) {
  return workflow(
    path,
    [
      webhook(path),
      code('Orders', 'return $json.body.orders.map((orderId) => ({ json: { orderId } }));'),
      claimAction({ operation: 'ledger-down', onError }),
      bookSeat(),
    ],
    chain('Event', 'Orders', 'Claim', 'Book Seat'),
  );
}

describe.each([1, 1_000])('with %i items', (count) => {
  it.each(modes)('lets nothing through Proceed under %s while the ledger is down', async (mode) => {
    const orders = Array.from({ length: count }, newOrderId);
    await postToWebhook(`ledger-down-${mode}`, { orders });

    const execution = await latestExecution((workflows.get(mode) as SavedWorkflow).id);
    expect(execution.items('Orders', 0)).toHaveLength(count);
    expect(execution.items('Claim', 0)).toEqual([]);
    expect(execution.items('Claim', 1)).toEqual([]);
    expect(execution.nodesRun).not.toContain('Book Seat');
    expect(orders.filter((order) => stack.booking.effects.requestCount(order) > 0)).toEqual([]);
    const output = errorOutput[mode];
    if (output === undefined) {
      expect(execution.summary.status).toBe('error');
      expect(execution.error('Claim')).toMatch(/ledger/i);
    } else {
      expect(execution.items('Claim', output)).toHaveLength(count);
      expect(execution.items('Claim', output)[0]).toHaveProperty('error');
    }
  });
});

it('does not acknowledge the event, and books once when the sender delivers it again', async () => {
  const event = paymentEvent();
  expect((await deliver(event)).status).toBe(500);
  expect(effectsOf(event)).toEqual({ bookings: 0, mails: 0 });

  await stack.ledger.start();
  expect(await deliver(event)).toMatchObject({ status: 200, body: { decision: 'proceed' } });
  await settled(event);
  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 1 });
});
