import { parse } from 'flatted';

import { runDataOf } from './stack/run-data';
import { bookSeat, chain, claimAction, code, manualTrigger, recordReceipt, workflow } from './workflow/build';
import { newOrderId } from './workshop/payment-event';

// No guard is asked, and no receipt is recorded: the ledger cannot know. What the docs say of it must be so.
it('shows the booking that Execute step makes on the data of an earlier run, without asking', async () => {
  const orderId = newOrderId();
  const operation = 'execute-step';
  const saved = await stack.editor.createWorkflow({
    ...workflow(
      operation,
      [
        manualTrigger(),
        code('Order', `return [{ json: { orderId: '${orderId}' } }];`),
        claimAction({ operation }),
        bookSeat(),
        recordReceipt(),
      ],
      [...chain('Start', 'Order', 'Claim', 'Book Seat', 'Receipt'), ['Book Seat', 1, 'Receipt']],
    ),
    // Nothing; n8n would answer null, which it does not take back.
    pinData: {},
  });
  const whole = await runDataOf(await stack.editor.runManually(saved.id, 'Start'));
  expect(whole.summary.status).toBe('success');
  expect(stack.booking.bookings(orderId)).toHaveLength(1);

  const { data } = await stack.editor.execution(whole.summary.id);
  const { resultData } = parse(data) as { resultData: { runData: object } };
  const step = await stack.editor.call<{ executionId: string }>('POST', `/rest/workflows/${saved.id}/run`, {
    workflowData: saved,
    runData: resultData.runData,
    dirtyNodeNames: ['Book Seat'],
    destinationNode: { nodeName: 'Book Seat', mode: 'inclusive' },
  });
  await runDataOf(step.executionId);
  expect(stack.booking.bookings(orderId)).toHaveLength(2);
  expect(await stack.ledger.api.action(orderId, operation)).toMatchObject({ state: 'confirmed', contradictions: [] });
});
