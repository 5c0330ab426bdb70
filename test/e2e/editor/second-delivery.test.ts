import { effectsOf, settled } from '../workshop/effects';
import { deliver, paymentEvent } from '../workshop/payment-event';
import { latestExecution } from '../stack/run-data';
import { Editor } from './browser';

/** What is different at each run: the time, and the port of the fake booking system in the subtitle of *Book Seat*. */
const hereAndNow = `
  [data-test-id^=execution-preview-], [data-test-id=canvas-default-node] [class*=subtitle]
  { visibility: hidden !important; }
  [data-test-id=canvas] { visibility: visible !important; }`;

it('shows in the executions view which way the second delivery took', async () => {
  const event = paymentEvent();
  for (let delivery = 1; delivery <= 2; delivery += 1) {
    await deliver(event);
    await settled(event);
  }
  const { summary, nodesRun } = await latestExecution('workshop-booking-template');
  expect(nodesRun).toEqual(['Payment Event', 'Claim Seat', 'Answer The Sender', 'Claim Confirmation']);
  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 1 });

  const editor = await Editor.open({ width: 1440, height: 860 });
  try {
    await editor.page.goto(`${stack.n8n.url}/workflow/${summary.workflowId}/executions/${summary.id}`);
    await editor.nodesOnCanvas.nth(7).waitFor();
    await editor.page.getByText('1 item').nth(2).waitFor();
    await editor.keepCanvasImage('second-delivery', hereAndNow);
  } finally {
    await editor.close();
  }
});
