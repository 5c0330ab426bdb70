import { postToWebhook } from './stack/webhook';
import { bookSeat, chain, publish, webhook, workflow } from './workflow/build';
import { newOrderId } from './workshop/payment-event';

// What the other tests prevent must be there to be prevented: the same step without the guards.
it('books once for each delivery where no guard stands before the booking', async () => {
  await publish(workflow('unguarded', [webhook('unguarded'), bookSeat()], chain('Event', 'Book Seat')));
  const orderId = newOrderId();
  await Promise.all(Array.from({ length: 5 }, () => postToWebhook('unguarded', { orderId })));
  expect(stack.booking.bookings(orderId)).toHaveLength(5);
});
