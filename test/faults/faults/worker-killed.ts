import { setTimeout as sleep } from 'node:timers/promises';

import { type BehaviourRule } from '../../destinations';
import { type Fault } from '../fault';
import { type Journal } from '../load/journal';
import { type Random } from '../random';
import { eachSubject } from '../workers/each-subject';
import { type Moment, MOMENTS } from '../workers/job';
import { insist, type Recovery, Workplace } from '../workers/workplace';

/**
 * Workers die at each moment of their way. Another gets the same event at once and must not act; when the lease is over
 * the owner looks up what happened, and then there is exactly one effect.
 */
export const workerKilled: Fault = {
  name: 'worker-killed',
  title: 'worker: SIGKILL at every moment between claim and receipt',
  injections: 50,
  prepare: async (run) => {
    const place = await Workplace.start(run, { idempotencyKeys: false, settleSeconds: 1, workers: 10 });
    return {
      ...place.site,
      work: async ({ prefix, random }) => {
        const journal = await place.begin();
        return eachSubject({ journal, prefix, random }, random.shuffled(MOMENTS), (subject, moment, choices) =>
          killAt(moment, subject, { place, journal, random: choices }),
        );
      },
    };
  },
};

/** Effects before and after the moment of death, answers on their way. */
const behaviour = (random: Random): BehaviourRule =>
  random.pick<BehaviourRule>([
    { name: 'normal' },
    { name: 'late', delayMs: random.between(50, 400) },
    { name: 'late-effect', delayMs: random.between(20, 300) },
  ]);

async function killAt(
  moment: Moment,
  subject: string,
  { place, journal, random }: { place: Workplace; journal: Journal; random: Random },
): Promise<void> {
  if (moment === 'call-under-way') place.booking.behave({ ...behaviour(random), reference: subject, times: 1 });
  const victim = await place.workers.take();
  const { reached, ended } = victim.perform(place.job(subject, { tellAt: moment }), journal.calls);
  insist(journal, subject, await reached, `the worker never came to ${moment}`);
  if (moment.endsWith('under-way')) await sleep(random.between(0, 12));
  const killedAt = performance.now();
  await victim.kill();
  const { claimed } = await place.finished(journal, victim, ended);

  // Some wait for the other holder's end, some are told at once that there is one.
  const rival = await place.deliver(journal, subject, { waitMs: random.pick([0, 10_000]) });
  const granted = claimed?.decision === 'proceed';
  insist(journal, subject, !granted || rival.claimed?.decision !== 'proceed', `killed at ${moment}, and claimed again`);

  const recovery = await place.recover(journal, subject);
  journal.longestWaitMs = Math.max(journal.longestWaitMs, performance.now() - killedAt);
  insist(journal, subject, isExpected(moment, recovery), `killed at ${moment}: ${JSON.stringify(recovery)}`);
  insist(
    journal,
    subject,
    recovery.redelivered.every((again) => !granted || again.claimed?.idempotencyKey === claimed?.idempotencyKey),
    'the event that was delivered again got another idempotency key',
  );
  insist(journal, subject, place.booking.bookings(subject).length === 1, 'there is not exactly one booking');
}

/** What the owner must have found. Where a request was under way, whether it arrived is not ours to say. */
const FINDINGS: Record<Moment, readonly string[]> = {
  'before-claim': [''],
  'claim-under-way': ['', 'happened', 'not_happened'],
  claimed: ['not_happened'],
  'call-under-way': ['', 'happened', 'not_happened'],
  answered: ['happened'],
  'receipt-under-way': ['', 'happened'],
};

function isExpected(moment: Moment, { findings, action }: Recovery): boolean {
  return (
    FINDINGS[moment].includes(findings.map(({ finding }) => finding).join()) &&
    findings.every(({ cause }) => cause === 'lease_expired') &&
    action.contradictions.length === 0
  );
}
