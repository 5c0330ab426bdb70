import type { WorkflowNode } from '../stack/n8n-session';
import { latestExecution } from '../stack/run-data';
import { postToWebhook } from '../stack/webhook';
import { bookSeat, chain, claimAction, publish, recordReceipt, webhook, workflow } from '../workflow/build';
import { newOrderId } from '../workshop/payment-event';

/** A booking that happens and is answered with 503, and the execution that it leaves. */
async function bookInVain(path: string, onError: WorkflowNode['onError']) {
  const orderId = newOrderId();
  stack.booking.behave({ name: 'error-after', reference: orderId, times: 1 });
  const { id } = await publish(
    workflow(
      path,
      [webhook(path), claimAction({ operation: path }), bookSeat({ onError }), recordReceipt()],
      [...chain('Event', 'Claim', 'Book Seat', 'Receipt'), ['Book Seat', 1, 'Receipt']],
    ),
  );
  await postToWebhook(path, { orderId });
  const { summary } = await latestExecution(id);
  expect(await stack.ledger.api.action(orderId, path)).toMatchObject({ state: 'unknown' });
  return { orderId, execution: summary };
}

it('has no Retry where the step used its error output: the execution succeeded', async () => {
  const { orderId, execution } = await bookInVain('retry-with-error-output', 'continueErrorOutput');
  expect(execution.status).toBe('success');
  await expect(stack.editor.retry(execution.id)).rejects.toThrow(/409.*succeeded/);
  expect(stack.booking.bookings(orderId)).toHaveLength(1);
});

it('shows the second booking of a Retry where the step has no error output and failed the execution', async () => {
  const path = 'retry-without-error-output';
  const { orderId, execution } = await bookInVain(path, 'stopWorkflow');
  expect(execution.status).toBe('error');
  await stack.editor.retry(execution.id);

  expect(stack.booking.bookings(orderId)).toHaveLength(2);
  expect(await stack.ledger.api.action(orderId, path)).toMatchObject({
    state: 'confirmed',
    contradictions: ['repeated_by_retry'],
  });
});
