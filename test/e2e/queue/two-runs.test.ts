import { until } from '../stack/until';
import { postToWebhook } from '../stack/webhook';
import { publishWorkshopCopy } from '../workflow/template';
import { effectsOf, settled } from '../workshop/effects';
import { paymentEvent } from '../workshop/payment-event';

/** How far apart the two runs of one POST were that n8n users reported (n8n-io/n8n#38083, #31837). */
const apartMs = 155;

it('books once for each order when every POST starts two runs, on two workers', async () => {
  const path = 'two-runs';
  const { id } = await publishWorkshopCopy(path);
  // Published a moment ago: the first delivery may have to wait for the webhook, and would come too late for its twin.
  await postToWebhook(path, paymentEvent());

  const events = Array.from({ length: 8 }, () => paymentEvent());
  const answers = await Promise.all(
    events.map(async (event) => {
      const startedAt = Date.now();
      const runs = [postToWebhook(path, event), postToWebhook(path, event)];
      expect(Date.now() - startedAt).toBeLessThan(apartMs);
      return (await Promise.all(runs)).map(({ body }) => body.decision);
    }),
  );

  for (const decisions of answers) {
    expect(decisions.filter((decision) => decision === 'proceed')).toHaveLength(1);
    for (const decision of decisions) expect(['proceed', 'in_progress', 'already_done']).toContain(decision);
  }
  for (const event of events) {
    await settled(event);
    expect(effectsOf(event)).toEqual({ bookings: 1, mails: 1 });
    expect(await stack.ledger.api.action(event.orderId, 'reserve-seat')).toMatchObject({
      state: 'confirmed',
      contradictions: [],
      events: [{ id: event.id, deliveries: 2 }],
    });
  }
  // Otherwise this would have been the test of a single process.
  const executions = await until(
    async () => {
      const all = await stack.editor.executions(id);
      return all.every(({ status }) => status === 'success') && all;
    },
    { what: 'all executions to succeed' },
  );
  expect(executions).toHaveLength(1 + 2 * events.length);
  for (const worker of stack.workers) expect(worker.log()).toMatch(/Worker started execution/);
});
