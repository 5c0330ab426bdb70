import { until } from '../stack/until';
import { publishGatedWorkshop } from '../workflow/template';
import { effectsOf, settled } from '../workshop/effects';
import { standAt } from '../workshop/steps';

/** A Redis that came back with an older state hands a job out again while the first worker is still at it. */
it('books once when Redis hands the same execution to a second worker in the middle of the first run', async () => {
  const path = 'same-job-twice';
  const workflow = await publishGatedWorkshop(path, {});
  const { event, executionId } = await standAt('between booking and receipt', workflow);
  const startsOf = () =>
    stack.workers
      .map((worker) => worker.log().match(new RegExp(`Worker started execution ${executionId} `, 'g'))?.length ?? 0)
      .reduce((sum, starts) => sum + starts);
  expect(startsOf()).toBe(1);

  const log = stack.n8n.log();
  const job = new RegExp(`Enqueued execution ${executionId} \\(job (\\d+)\\)`).exec(log)?.[1];
  await stack.redis?.command('RPUSH', 'bull:jobs:wait', String(job));
  await until(() => startsOf() === 2, { what: 'a second start of the same execution' });
  // It has asked the ledger: with the same execution ID, and is another call all the same.
  await until(
    async () => {
      const seat = await stack.ledger.api.action(event.orderId, 'reserve-seat');
      return seat?.events.some(({ deliveries }) => deliveries === 2);
    },
    { what: 'the second run to ask for the claim' },
  );
  stack.gate.open();
  await settled(event);

  expect(effectsOf(event)).toEqual({ bookings: 1, mails: 1 });
  expect(await stack.ledger.api.action(event.orderId, 'reserve-seat')).toMatchObject({
    state: 'confirmed',
    attempt: 1,
    contradictions: [],
  });
});
