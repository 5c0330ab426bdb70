import { latestExecution } from '../stack/run-data';
import { postToWebhook } from '../stack/webhook';
import { chain, claimAction, publish, recordReceipt, webhook, workflow } from '../workflow/build';
import { newOrderId } from '../workshop/payment-event';

// Stop And Error throws whatever its settings; n8n then sends its input out of its first output, as if it were a result.
it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
  'does not confirm a step that throws under %s, although its input leaves on its first output',
  async (onError) => {
    const path = `throwing-${onError}`;
    const orderId = newOrderId();
    const step = {
      name: 'Book Seat',
      type: 'n8n-nodes-base.stopAndError',
      typeVersion: 1,
      parameters: { errorMessage: 'The booking broke off' },
      onError,
    };
    const { id } = await publish(
      workflow(
        path,
        [webhook(path), claimAction({ operation: path }), step, recordReceipt()],
        [...chain('Event', 'Claim', 'Book Seat', 'Receipt'), ['Book Seat', 1, 'Receipt']],
      ),
    );
    await postToWebhook(path, { orderId });

    const execution = await latestExecution(id);
    expect(execution.items('Book Seat', 0)).toHaveLength(1);
    expect(execution.items('Receipt', 0)).toEqual([]);
    expect(execution.items('Receipt', 2)).toHaveLength(1);
    expect(await stack.ledger.api.action(orderId, path)).toMatchObject({ state: 'unknown' });
  },
);
