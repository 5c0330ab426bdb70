import { setTimeout as sleep } from 'node:timers/promises';

import { type Fault } from '../fault';
import { type Journal } from '../load/journal';
import { type Random } from '../random';
import { eachSubject } from '../workers/each-subject';
import { type Moment } from '../workers/job';
import { insist, Workplace } from '../workers/workplace';

const STOPPED_AT = ['claimed', 'call-under-way', 'answered', 'receipt-under-way'] as const satisfies readonly Moment[];

/**
 * Workers stand still until their lease is over and somebody else has been told that the outcome is unknown. Then they go
 * on as if nothing had been: their late receipt is the evidence that was missing.
 */
export const workerStopped: Fault = {
  name: 'worker-stopped',
  title: 'worker: SIGSTOP, and SIGCONT after its lease',
  injections: 50,
  prepare: async (run) => {
    const place = await Workplace.start(run, { idempotencyKeys: false, settleSeconds: 300, workers: 10 });
    return {
      ...place.site,
      work: async ({ prefix, random }) => {
        const journal = await place.begin();
        return eachSubject({ journal, prefix, random }, random.shuffled(STOPPED_AT), (subject, moment, choices) =>
          stopAt(moment, subject, { place, journal, random: choices }),
        );
      },
    };
  },
};

async function stopAt(
  moment: (typeof STOPPED_AT)[number],
  subject: string,
  { place, journal, random }: { place: Workplace; journal: Journal; random: Random },
): Promise<void> {
  if (moment === 'call-under-way') {
    const name = random.pick(['normal', 'late', 'late-effect'] as const);
    place.booking.behave({ name, delayMs: random.between(20, 400), reference: subject, times: 1 });
  }
  const zombie = await place.workers.take();
  const { reached, ended } = zombie.perform(place.job(subject, { tellAt: moment }), journal.calls);
  insist(journal, subject, await reached, `the worker never came to ${moment}`);
  if (moment.endsWith('under-way')) await sleep(random.between(0, 12));
  zombie.pause();
  // It is let go while it stands still: it will not notice that anything happened meanwhile.
  zombie.go();

  const rival = await place.deliver(journal, subject, { waitMs: 10_000 });
  const told = rival.claimed?.decision ?? '';
  const sentInTime = moment === 'call-under-way' || moment === 'receipt-under-way';
  const allowed = sentInTime ? ['unknown', 'already_done'] : ['unknown'];
  insist(journal, subject, allowed.includes(told), `stopped at ${moment}, and the other worker was told ${told}`);

  const resumedAt = performance.now();
  zombie.resume();
  const { receipt } = await place.finished(journal, zombie, ended);
  journal.longestWaitMs = Math.max(journal.longestWaitMs, performance.now() - resumedAt);
  const recorded = receipt?.result === 'recorded' && receipt.outcome === 'confirmed' && receipt.state === 'confirmed';
  insist(journal, subject, recorded, `stopped at ${moment}, its receipt was answered ${JSON.stringify(receipt)}`);
  insist(journal, subject, receipt?.late === (told === 'unknown'), `its receipt is late: ${receipt?.late}, ${told}`);

  const again = await place.deliver(journal, subject);
  insist(journal, subject, again.claimed?.decision === 'already_done', 'the next delivery is not told that it is done');
  const action = await place.owner.find(journal.calls, subject);
  insist(journal, subject, action?.contradictions.length === 0, `contradictions: ${action?.contradictions.join()}`);
  insist(journal, subject, place.booking.bookings(subject).length === 1, 'there is not exactly one booking');
}
