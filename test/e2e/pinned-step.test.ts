import { runDataOf } from './stack/run-data';
import { bookSeat, chain, claimAction, code, manualTrigger, recordReceipt, workflow } from './workflow/build';
import { newOrderId } from './workshop/payment-event';

it('does not take a pinned booking for a booking in a test run', async () => {
  const orderId = newOrderId();
  const file = workflow(
    'pinned step',
    [
      manualTrigger(),
      code('Order', `return [{ json: { orderId: '${orderId}' } }];`),
      claimAction({ operation: 'pinned-step' }),
      bookSeat(),
      recordReceipt(),
    ],
    [...chain('Start', 'Order', 'Claim', 'Book Seat', 'Receipt'), ['Book Seat', 1, 'Receipt']],
  );
  const pinned = { reference: 'RSV-PINNED', orderId };
  const saved = await stack.editor.createWorkflow({ ...file, pinData: { 'Book Seat': [{ json: pinned }] } });
  const execution = await runDataOf(await stack.editor.runManually(saved.id, 'Start'));

  expect(execution.items('Book Seat', 0)).toEqual([pinned]);
  expect(stack.booking.effects.requestCount(orderId)).toBe(0);
  expect(await stack.ledger.api.action(orderId, 'pinned-step')).toMatchObject({
    state: 'unknown',
    cause: 'pinned_data',
    testRun: true,
  });
});
