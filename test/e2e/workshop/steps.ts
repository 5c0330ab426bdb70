import { mailReference, type Behaviour } from '../../destinations';
import type { SavedWorkflow } from '../stack/n8n-session';
import { until } from '../stack/until';
import { postToWebhook } from '../stack/webhook';
import { paymentEvent, type PaymentEvent } from './payment-event';

interface Step {
  /** Has the execution for this event stand still here; a destination acts, and answers as it is told. */
  hold: (event: PaymentEvent, answer: Behaviour) => void;
  isThere: (event: PaymentEvent) => boolean;
}

/** Every place of the workshop workflow at which a process can die, in the order in which an execution passes them. */
const steps = {
  'before the claim': gateStep('reserve-seat', 'claim', 'request'),
  'between claim and booking': gateStep('reserve-seat', 'claim', 'answer'),
  'in the booking, after its effect': {
    hold: ({ orderId }, answer) => stack.booking.behave({ ...answer, reference: orderId, times: 1 }),
    isThere: ({ orderId }) => stack.booking.bookings(orderId).length === 1,
  },
  'between booking and receipt': gateStep('reserve-seat', 'receipt', 'request'),
  'in the receipt, after it was recorded': gateStep('reserve-seat', 'receipt', 'answer'),
  'between receipt and mail': gateStep('send-confirmation', 'claim', 'request'),
  'in the mail, after it was taken': {
    hold: ({ email, orderId }, answer) =>
      stack.mail.behave({ ...answer, reference: mailReference(email, orderId), times: 1 }),
    isThere: ({ email, orderId }) => stack.mail.mails(email, orderId).length === 1,
  },
} satisfies Record<string, Step>;

export type StepName = keyof typeof steps;
export const stepNames = Object.keys(steps) as StepName[];

function gateStep(operation: string, call: 'claim' | 'receipt', at: 'request' | 'answer'): Step {
  const holdOf = ({ orderId }: PaymentEvent) => ({ subject: orderId, operation, call, at });
  return {
    hold: (event) => stack.gate.hold(holdOf(event)),
    isThere: (event) => stack.gate.isHeld(holdOf(event)),
  };
}

/** An execution that stands still at a step. */
export interface Standing {
  event: PaymentEvent;
  executionId: string;
  /** What the sender is told in the end; `undefined` when the connection broke. */
  answer: Promise<{ status: number } | undefined>;
}

const never: Behaviour = { name: 'never' };

/** Delivers an event to the workflow at `path` and waits until its execution stands at the step. */
export async function standAt(
  step: StepName,
  { id, name }: SavedWorkflow,
  destinationAnswers = never,
): Promise<Standing> {
  const event = paymentEvent();
  steps[step].hold(event, destinationAnswers);
  const answer = postToWebhook(name, event).catch(() => undefined);
  await until(() => steps[step].isThere(event), { what: `an execution ${step}` });
  const [newest] = await stack.editor.executions(id);
  if (!newest) throw new Error(`n8n shows no execution of "${name}"`);
  return { event, executionId: newest.id, answer };
}

/** One execution at each step, all at the same time. */
export async function standAtEachStep(workflow: SavedWorkflow, destinationAnswers = never) {
  const standing = {} as Record<StepName, Standing>;
  for (const step of stepNames) standing[step] = await standAt(step, workflow, destinationAnswers);
  return standing;
}
