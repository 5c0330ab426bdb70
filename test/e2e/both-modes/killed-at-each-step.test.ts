import { cutPower, powerIsBack } from '../stack/power-cut';
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
  lookAt,
  nameOwners,
  notBooked,
  nothing,
  perhapsBooked,
  perhapsMailed,
  resolveByLooking,
  type Standings,
} from '../workshop/judge';
import { standAtEachStep, stepNames, type Standing, type StepName } from '../workshop/steps';

// All of n8n is killed once, while executions of two workflows stand at each step: as the docs set a workflow up, and with
// what they say to leave off.
const asDocumented = 'killed-at-each-step';
const progressSaved = 'killed-with-progress-saved';
let standing: Record<StepName, Standing>;
let saved: Record<StepName, Standing>;

beforeAll(async () => {
  await nameOwners('reserve-seat', 'send-confirmation');
  const errorWorkflow = await publish(await readTemplate('crashed-execution'));
  const workflow = await publishGatedWorkshop(asDocumented, { errorWorkflow: errorWorkflow.id });
  const other = await publishGatedWorkshop(progressSaved, { saveExecutionProgress: true, leaseSeconds: 20 });
  standing = await standAtEachStep(workflow);
  saved = await standAtEachStep(other);
  await cutPower();
  await powerIsBack();
  for (const { executionId } of [...Object.values(standing), ...Object.values(saved)]) {
    await until(async () => (await stack.editor.execution(executionId)).status === 'crashed', {
      what: `n8n to notice that execution ${executionId} crashed`,
    });
  }
});

const leftBehind: Record<StepName, Standings> = {
  'before the claim': nothing,
  'between claim and booking': notBooked,
  'in the booking, after its effect': perhapsBooked,
  'between booking and receipt': perhapsBooked,
  'in the receipt, after it was recorded': booked,
  'between receipt and mail': booked,
  'in the mail, after it was taken': perhapsMailed,
};

describe('set up as documented', () => {
  /** What goes on with the next delivery, or with Retry, because nobody has to be asked first. */
  const goesOn = (step: StepName): Standings => {
    const { seat, mail } = leftBehind[step];
    return seat === 'unknown' || mail === 'unknown' ? leftBehind[step] : done;
  };

  it.each(stepNames)('%s: the error workflow tells the ledger, long before the lease ends', async (step) => {
    await expectInTheEnd(standing[step].event, leftBehind[step]);
    const seat = await stack.ledger.api.action(standing[step].event.orderId, 'reserve-seat');
    if (seat?.state === 'unknown') expect(seat.cause).toBe('execution_crashed');
  });

  it.each(stepNames)('%s: Retry asks again, and does nothing twice', async (step) => {
    const { event, executionId } = standing[step];
    await stack.editor.retry(executionId);
    expect(await judge(event)).toEqual(goesOn(step));
  });

  it.each(stepNames)('%s: the next delivery does nothing twice', async (step) => {
    const { event } = standing[step];
    await postToWebhook(asDocumented, event);
    await settled(event);
    expect(await judge(event)).toEqual(goesOn(step));
  });

  it.each(stepNames)('%s: once somebody has looked, the next delivery does what is still to do', async (step) => {
    const { event } = standing[step];
    await resolveByLooking(event);
    await postToWebhook(asDocumented, event);
    await settled(event);
    expect(await judge(event)).toEqual(done);
  });
});

describe('with Save execution progress on, and no error workflow', () => {
  it.each(stepNames)('%s: the lease ends, and nothing stays in progress', async (step) => {
    await expectInTheEnd(saved[step].event, leftBehind[step]);
    const seat = await stack.ledger.api.action(saved[step].event.orderId, 'reserve-seat');
    if (seat?.state === 'unknown') expect(seat.cause).toBe('lease_expired');
  });

  const clean = { seat: [], mail: [] };
  /** Retry starts at the node that was running: what was in the middle of its effect is done again. */
  const afterRetry: Record<StepName, object> = {
    'before the claim': { ...done, contradictions: clean },
    'between claim and booking': { ...notBooked, contradictions: clean },
    'in the booking, after its effect': {
      ...done,
      bookings: 2,
      contradictions: { seat: ['repeated_by_retry'], mail: [] },
    },
    // One booking; but the receipt comes from an execution that never claimed, as in the case above.
    'between booking and receipt': { ...done, contradictions: { seat: ['repeated_by_retry'], mail: [] } },
    'in the receipt, after it was recorded': { ...done, contradictions: clean },
    'between receipt and mail': { ...done, contradictions: clean },
    'in the mail, after it was taken': {
      ...done,
      mails: 2,
      contradictions: { seat: [], mail: ['repeated_by_retry'] },
    },
  };

  it.each(stepNames)('%s: a second effect by Retry is shown', async (step) => {
    const { event, executionId } = saved[step];
    await stack.editor.retry(executionId);
    expect(await lookAt(event)).toEqual(afterRetry[step]);
  });

  it.each(stepNames)('%s: the next delivery does nothing twice all the same', async (step) => {
    const { event } = saved[step];
    await postToWebhook(progressSaved, event);
    await settled(event);
    expect(await lookAt(event)).toEqual(afterRetry[step]);
  });
});
