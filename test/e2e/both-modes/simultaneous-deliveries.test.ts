import { deliver, paymentEvent } from '../workshop/payment-event';
import { effectsOf, settled } from '../workshop/effects';

it('books one seat and sends one mail for the same POST five times at once', async () => {
  const event = paymentEvent();
  const answers = await Promise.all(Array.from({ length: 5 }, () => deliver(event)));
  await settled(event);

  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 1 });
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const decisions = answers.map(({ body }) => body.decision);
  expect(decisions.filter((decision) => decision === 'proceed')).toHaveLength(1);
  for (const decision of decisions) expect(['proceed', 'in_progress', 'already_done']).toContain(decision);
});
