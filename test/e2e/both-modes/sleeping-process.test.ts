import { until } from '../stack/until';
import { postToWebhook } from '../stack/webhook';
import { publishGatedWorkshop } from '../workflow/template';
import { noneRunning, settled } from '../workshop/effects';
import { done, judge, nameOwners } from '../workshop/judge';
import { standAt, type Standing } from '../workshop/steps';

const path = 'sleeping-process';
let claimed: Standing;
let booked: Standing;

// Two executions stand still at a step together with their machine, until their leases are over.
beforeAll(async () => {
  await nameOwners('reserve-seat', 'send-confirmation');
  // Long enough for a busy machine: a permission that took more than half of it to arrive is not used.
  const workflow = await publishGatedWorkshop(path, { leaseSeconds: 12 });
  claimed = await standAt('between claim and booking', workflow);
  booked = await standAt('between booking and receipt', workflow);
  const machines = stack.mode === 'queue' ? stack.workers : [stack.n8n];
  for (const machine of machines) machine.freeze();
  for (const { event } of [claimed, booked]) {
    await until(async () => (await stack.ledger.api.action(event.orderId, 'reserve-seat'))?.cause === 'lease_expired', {
      what: 'the lease to end',
    });
  }
  for (const machine of machines) machine.wake();
  stack.gate.open();
  await Promise.all([claimed.answer, booked.answer]);
  await noneRunning();
});

it('gives back a permission that arrived when it was no longer good, so that the next delivery books', async () => {
  expect(await judge(claimed.event)).toMatchObject({ bookings: 0 });
  await postToWebhook(path, claimed.event);
  await settled(claimed.event);
  expect(await judge(claimed.event)).toEqual(done);
});

it('keeps a receipt that comes after the lease, and goes on from there', async () => {
  await settled(booked.event);
  expect(await judge(booked.event)).toEqual(done);
});
