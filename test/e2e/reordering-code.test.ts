import { latestExecution } from './stack/run-data';
import { until } from './stack/until';
import { postToWebhook } from './stack/webhook';
import { bookSeat, chain, claimAction, code, publish, recordReceipt, webhook, workflow } from './workflow/build';
import { newOrderId } from './workshop/payment-event';

it('records nothing for items that a Code node may have put into another order', async () => {
  const orders = [newOrderId(), newOrderId()];
  const { id } = await publish(
    workflow(
      'reordering code',
      [
        webhook('reordering-code'),
        code('Orders', 'return $json.body.orders.map((orderId) => ({ json: { orderId } }));'),
        claimAction({ operation: 'reordered' }),
        bookSeat(),
        code('Reverse', 'return $input.all().map(({ json }) => ({ json })).reverse();'),
        recordReceipt(),
      ],
      chain('Event', 'Orders', 'Claim', 'Book Seat', 'Reverse', 'Receipt'),
    ),
  );
  await postToWebhook('reordering-code', { orders });

  const execution = await latestExecution(id);
  expect(execution.items('Reverse', 0).map((item) => item.orderId)).toEqual([...orders].reverse());
  expect(execution.error('Receipt')).toMatch(/paired by position/);
  for (const order of orders) {
    expect(stack.booking.bookings(order)).toHaveLength(1);
    const action = await until(
      async () => {
        const found = await stack.ledger.api.action(order, 'reordered');
        return found?.state !== 'in_progress' && found;
      },
      { what: 'the end of the execution to reach the ledger' },
    );
    expect(action).toMatchObject({ state: 'unknown', references: [] });
  }
});
