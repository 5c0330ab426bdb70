import { until } from '../stack/until';
import { postToWebhook } from '../stack/webhook';
import { publishGatedWorkshop } from '../workflow/template';
import { settled } from '../workshop/effects';
import { done, judge, nameOwners } from '../workshop/judge';
import { paymentEvent } from '../workshop/payment-event';
import { standAt } from '../workshop/steps';

const losses = {
  'is emptied': async () => {
    await stack.redis?.command('FLUSHALL');
  },
  'is killed and starts again empty': async () => {
    await stack.redis?.kill();
    await stack.redis?.start();
  },
};

beforeAll(() => nameOwners('reserve-seat', 'send-confirmation'));

it.each(Object.entries(losses))('books once for each order when Redis %s', async (name, lose) => {
  const path = `redis-${name.replaceAll(' ', '-')}`;
  const workflow = await publishGatedWorkshop(path, {});
  const underWay = [
    await standAt('before the claim', workflow),
    await standAt('between claim and booking', workflow),
    await standAt('between booking and receipt', workflow),
    await standAt('between receipt and mail', workflow),
  ];
  // Nobody takes it out of the queue before it is lost.
  for (const worker of stack.workers) worker.freeze();
  const queued = paymentEvent();
  const enqueuedSoFar = enqueued();
  const unheard = postToWebhook(path, queued).catch(() => undefined);
  await until(() => enqueued() > enqueuedSoFar, { what: 'n8n to put the execution into the queue' });
  const lost = (await stack.editor.executions(workflow.id)).find(({ status }) => status === 'new');

  await lose();
  for (const worker of stack.workers) worker.wake();
  stack.gate.open();
  await stack.restartWhatEnded();

  // n8n shows it as queued for hours; nobody is at it.
  await stack.editor.deleteExecution(String(lost?.id));

  // What was under way goes on: it needs no queue any more.
  for (const { event } of underWay) {
    await settled(event);
    expect(await judge(event)).toEqual(done);
  }
  // What was queued is lost, and nobody answers its sender. He delivers again, as the others do who heard nothing.
  for (const event of [queued, ...underWay.map((one) => one.event)]) {
    const { body } = await postToWebhook(path, event);
    expect(body.decision).toBe(event === queued ? 'proceed' : 'already_done');
    await settled(event);
    expect(await judge(event)).toEqual(done);
  }
  void unheard;
});

function enqueued(): number {
  return stack.n8n.log().match(/Enqueued execution/g)?.length ?? 0;
}
