import type { SavedWorkflow } from '../stack/n8n-session';
import { until } from '../stack/until';
import { postToWebhook } from '../stack/webhook';
import { publish } from '../workflow/build';
import { publishGatedWorkshop, readTemplate } from '../workflow/template';
import { settled } from '../workshop/effects';
import {
  booked,
  done,
  expectInTheEnd,
  judge,
  nameOwners,
  notBooked,
  nothing,
  perhapsBooked,
  perhapsMailed,
  type Standings,
} from '../workshop/judge';
import { standAt, stepNames, type Standing, type StepName } from '../workshop/steps';

const path = 'worker-replaced';

/** When n8n has noticed; after the next delivery; and when a worker that had only slept has gone on after all that. */
const expected: Record<StepName, [noticed: Standings, redelivered: Standings, wokenUp: Standings]> = {
  'before the claim': [nothing, done, done],
  // The answer that let it book is too old to be used.
  'between claim and booking': [notBooked, notBooked, notBooked],
  'in the booking, after its effect': [perhapsBooked, perhapsBooked, perhapsBooked],
  // A receipt that comes late is kept.
  'between booking and receipt': [perhapsBooked, perhapsBooked, done],
  'in the receipt, after it was recorded': [booked, done, done],
  'between receipt and mail': [booked, done, done],
  'in the mail, after it was taken': [perhapsMailed, perhapsMailed, perhapsMailed],
};

type OneAtEachStep = Record<StepName, Standing>;
let ofTheKilled: OneAtEachStep;
let ofTheSleeper: OneAtEachStep;

beforeAll(async () => {
  await nameOwners('reserve-seat', 'send-confirmation');
  const errorWorkflow = await publish(await readTemplate('crashed-execution'));
  [ofTheKilled, ofTheSleeper] = await standOnBothWorkers(
    await publishGatedWorkshop(path, { errorWorkflow: errorWorkflow.id }),
  );
  const [replaced, sleeper] = stack.workers;
  sleeper?.freeze();
  await replaced?.kill();
  for (const { event } of Object.values(ofTheKilled)) {
    await until(() => !stack.gate.holdsAny(event.orderId), { what: "the killed worker's connections to break" });
  }
  // The calls of the sleeper stay held; those of the next deliveries pass.
  stack.gate.holdNoMore();
  replaced?.loseDisk();
  await replaced?.start();
  // Two lock times, and the half minute for which n8n asks whether the execution has not ended well after all.
  for (const { executionId } of [...Object.values(ofTheKilled), ...Object.values(ofTheSleeper)]) {
    await until(async () => (await stack.editor.execution(executionId)).status === 'error', {
      what: `n8n to notice that execution ${executionId} has no worker`,
      timeoutMs: 240_000,
      everyMs: 500,
    });
  }
});

afterAll(async () => {
  stack.gate.open();
  await stack.restartWhatEnded();
});

describe.each(['was killed and replaced', 'only slept, for longer than n8n waits'])('a worker that %s', (what) => {
  const standing = (step: StepName): Standing => (what.startsWith('was killed') ? ofTheKilled : ofTheSleeper)[step];

  it.each(stepNames)('%s: the error workflow tells the ledger', async (step) => {
    const { event } = standing(step);
    await expectInTheEnd(event, expected[step][0]);
  });

  it.each(stepNames)('%s: Retry runs nothing, since n8n has lost the data of the execution', async (step) => {
    const { event, executionId } = standing(step);
    const retried = await stack.editor.retry(executionId);
    expect(retried.status).toBe('error');
    expect(await judge(event)).toEqual(expected[step][0]);
  });

  it.each(stepNames)('%s: the next delivery does what is still to do, and nothing twice', async (step) => {
    const { event } = standing(step);
    await postToWebhook(path, event);
    await settled(event);
    expect(await judge(event)).toEqual(expected[step][1]);
  });
});

describe('a worker that wakes up after all that', () => {
  beforeAll(() => {
    stack.workers[1]?.wake();
    stack.gate.open();
  });

  it.each(stepNames)('%s: does nothing twice', async (step) => {
    const { event } = ofTheSleeper[step];
    await expectInTheEnd(event, expected[step][2]);
  });
});

/** One execution at each step on each of the two workers; which worker takes which is not for us to say. */
async function standOnBothWorkers(workflow: SavedWorkflow): Promise<[OneAtEachStep, OneAtEachStep]> {
  const standing: [Partial<OneAtEachStep>, Partial<OneAtEachStep>] = [{}, {}];
  for (const step of stepNames) {
    for (let tries = 1; !(standing[0][step] && standing[1][step]); tries += 1) {
      if (tries > 8) throw new Error(`One worker took all executions that were to stand ${step}`);
      const one = await standAt(step, workflow);
      const on = stack.workers.findIndex((worker) => worker.log().includes(`started execution ${one.executionId} `));
      const ofTheWorker = standing[on];
      if (!ofTheWorker) throw new Error(`No worker says that it started execution ${one.executionId}`);
      ofTheWorker[step] ??= one;
    }
  }
  return standing as [OneAtEachStep, OneAtEachStep];
}
