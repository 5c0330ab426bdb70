import { postToWebhook } from '../stack/webhook';
import { publishGatedWorkshop } from '../workflow/template';
import { settled } from '../workshop/effects';
import { done, judge, nameOwners } from '../workshop/judge';
import { standAtEachStep, stepNames, type Standing, type StepName } from '../workshop/steps';

const path = 'main-killed';
let standing: Record<StepName, Standing>;

beforeAll(async () => {
  await nameOwners('reserve-seat', 'send-confirmation');
  const workflow = await publishGatedWorkshop(path, {});
  // The destinations answer in the end: the workers are alive and wait for them.
  standing = await standAtEachStep(workflow, { name: 'late', delayMs: 15_000 });
  await stack.n8n.kill();
  stack.gate.open();
  await stack.n8n.start();
});

it.each(stepNames)('books once and sends one mail when the main process is killed %s', async (step) => {
  const { event } = standing[step];
  await settled(event);
  expect(await judge(event)).toEqual(done);

  // Who never heard an answer delivers again.
  expect((await postToWebhook(path, event)).body).toMatchObject({ decision: 'already_done' });
  await settled(event);
  expect(await judge(event)).toEqual(done);
});
