import { killBetweenBookingAndReceipt } from './stack/killed-execution';
import { until } from './stack/until';
import { publish } from './workflow/build';
import { publishWorkshopCopy, readTemplate } from './workflow/template';
import { effectsOf } from './workshop/effects';
import { paymentEvent } from './workshop/payment-event';

it('tells the ledger about a crash long before the lease ends, through the Error Trigger workflow', async () => {
  const event = paymentEvent();
  const errorWorkflow = await publish(await readTemplate('crashed-execution'));
  const path = 'crashed-execution';
  const { id } = await publishWorkshopCopy(path, (file) => {
    file.settings = { ...file.settings, errorWorkflow: errorWorkflow.id };
  });
  await killBetweenBookingAndReceipt(id, path, event);

  const action = await until(
    async () => {
      const found = await stack.ledger.api.action(event.orderId, 'reserve-seat');
      return found?.state !== 'in_progress' && found;
    },
    { what: 'the error workflow to run', timeoutMs: 30_000 },
  );
  expect(action).toMatchObject({ state: 'unknown', cause: 'execution_crashed' });
  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 0 });
});
