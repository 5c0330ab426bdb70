import { paymentEvent } from '../payment-event';
import { resolveByPerson } from '../workflows';
import type { Case } from './case';

const event = paymentEvent('workshop-851');

export const lostConfirmation: Case = {
  title: 'The mail server goes silent',
  story: 'It has taken the mail, and sending ends in a time-out all the same. Somebody presses Retry.',
  events: [event],
  intended: { bookings: 1, mails: 1 },
  damage: 'mailed twice',
  mailTimeoutMs: 1_500,
  play: async (scene) => {
    scene.mail.behave({ name: 'never', times: 1 });
    const run = await scene.deliver(event);
    await scene.again(run, event);
  },
  resolve: {
    title: "Then a person finds the mail in the provider's log, resolves it, and the event comes once more.",
    play: async (scene) => {
      const [mail] = scene.mail.mails(event.email, event.orderId);
      if (mail === undefined) throw new Error('The mail system has no mail that a person could find');
      const evidence = { found: "the mail provider's delivery log", acceptedAt: mail.at.toISOString() };
      await scene.run(resolveByPerson(mail.id, evidence), {
        items: [{ key: `default:${event.orderId}:send-confirmation` }],
        mode: 'manual',
      });
      await scene.deliver(event);
    },
  },
};
