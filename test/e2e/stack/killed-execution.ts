import { until } from './until';
import { postToWebhook } from './webhook';

/**
 * Delivers an event whose booking happens but is never answered, kills n8n in that moment and starts it again. Gives
 * the ID of the execution that n8n then shows as crashed.
 */
export async function killBetweenBookingAndReceipt(
  workflowId: string,
  path: string,
  event: { orderId: string },
): Promise<string> {
  stack.booking.behave({ name: 'never', reference: event.orderId, times: 1 });
  const cutOff = postToWebhook(path, event).catch(() => undefined);
  await until(() => stack.booking.bookings(event.orderId).length === 1, { what: 'the booking' });
  await stack.n8n.kill();
  await cutOff;
  await stack.n8n.start();
  const crashed = await until(
    async () => (await stack.editor.executions(workflowId)).find(({ status }) => status === 'crashed'),
    { what: 'n8n to notice the crash' },
  );
  return crashed.id;
}
