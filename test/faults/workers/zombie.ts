import { type Fault, type Site } from '../fault';
import { type Journal } from '../load/journal';
import { eachSubject } from './each-subject';
import { type Report } from './worker-process';
import { insist, Workplace } from './workplace';

/** Where the second worker is when the first one, which everybody had given up, sends. */
const SENDS = [
  'before the second claims',
  'before the second sends',
  'while the second sends',
  'before the second records',
  'after the second recorded',
] as const;

type Sends = (typeof SENDS)[number];

/**
 * A worker stands still between claim and call. Its lease ends, the owner finds nothing at the destination, the action is
 * claimed again under the same idempotency key and carried out by another worker. Then the first one goes on and sends.
 * No settle time is long enough for that; only the destination can make the two requests one effect.
 */
export function zombieFault(name: string, title: string, { idempotencyKeys }: { idempotencyKeys: boolean }): Fault {
  return {
    name,
    title,
    injections: 50,
    prepare: async (run): Promise<Site> => {
      const place = await Workplace.start(run, { idempotencyKeys, settleSeconds: 0, workers: 10 });
      const seen = { zombies: 0, secondEffects: 0 };
      return {
        ...place.site,
        work: async ({ prefix, random }) => {
          const journal = await place.begin();
          return eachSubject({ journal, prefix, random }, random.shuffled(SENDS), async (subject, sends) => {
            await sendLate(place, journal, subject, sends);
            seen.zombies += 1;
            const second = await judge(place, journal, subject, sends, idempotencyKeys);
            seen.secondEffects += second;
          });
        },
        ...(!idempotencyKeys && { secondEffectsAreMeasured: true }),
        notes: () => [
          idempotencyKeys
            ? `${seen.zombies} workers sent after the reconciliation; under the destination's key there were ${seen.secondEffects} second effects`
            : `${seen.zombies} workers sent after the reconciliation, without the destination's key: ${seen.secondEffects} second effects, each shown by the ledger as two_effects, with both references`,
        ],
      };
    },
  };
}

async function sendLate(place: Workplace, journal: Journal, subject: string, sends: Sends): Promise<void> {
  const zombie = await place.workers.take();
  const { reached, ended } = zombie.perform(place.job(subject, { tellAt: 'claimed' }), journal.calls);
  insist(journal, subject, await reached, 'the worker never came to its call');
  zombie.pause();
  zombie.go();
  const wakes = async (): Promise<Report> => {
    zombie.resume();
    return place.finished(journal, zombie, ended);
  };

  await findNothing(place, journal, subject);
  const resumedAt = performance.now();
  const [first, second] = await meet(place, journal, subject, sends, wakes);
  await place.recover(journal, subject);
  journal.longestWaitMs = Math.max(journal.longestWaitMs, performance.now() - resumedAt);

  insist(
    journal,
    subject,
    first.receipt?.outcome === 'confirmed',
    `the first worker: ${JSON.stringify(first.receipt)}`,
  );
  if (sends === 'before the second claims') {
    insist(journal, subject, second.claimed?.decision === 'already_done', 'it was claimed again although it was done');
    return;
  }
  const { idempotencyKey, attempt } = second.claimed ?? {};
  const sameKey = typeof idempotencyKey === 'string' && idempotencyKey === first.claimed?.idempotencyKey;
  insist(journal, subject, sameKey, 'the second worker was given another idempotency key');
  insist(journal, subject, attempt === 2, `the second worker was given attempt ${String(attempt)}`);
  insist(journal, subject, second.receipt?.outcome === 'confirmed', `the second: ${JSON.stringify(second.receipt)}`);
}

/** The lease ends, another worker is refused, and the owner finds nothing. */
async function findNothing(place: Workplace, journal: Journal, subject: string): Promise<void> {
  const rival = await place.deliver(journal, subject, { waitMs: 10_000 });
  const told = rival.claimed?.decision;
  insist(journal, subject, told === 'unknown', `the outcome is not known, and another worker was told ${told}`);
  const action = await place.owner.find(journal.calls, subject);
  const finding = action && (await place.owner.resolve(journal.calls, subject, action));
  insist(journal, subject, finding === 'not_happened', `the owner's finding is ${String(finding)}`);
}

/** The two workers, in the order of the story. The second one has a lease that lasts. */
async function meet(
  place: Workplace,
  journal: Journal,
  subject: string,
  sends: Sends,
  wakes: () => Promise<Report>,
): Promise<[first: Report, second: Report]> {
  const leaseSeconds = 30;
  if (sends === 'before the second claims') {
    return [await wakes(), await place.deliver(journal, subject, { leaseSeconds })];
  }
  if (sends === 'after the second recorded') {
    const second = await place.deliver(journal, subject, { leaseSeconds });
    return [await wakes(), second];
  }
  const worker = await place.workers.take();
  const tellAt = sends === 'before the second records' ? 'answered' : 'claimed';
  const { reached, ended } = worker.perform(place.job(subject, { leaseSeconds, tellAt }), journal.calls);
  insist(journal, subject, await reached, 'the second worker was not allowed to act');
  const goesOn = (): Promise<Report> => {
    worker.go();
    return place.finished(journal, worker, ended);
  };
  if (sends === 'while the second sends') return Promise.all([wakes(), goesOn()]);
  return [await wakes(), await goesOn()];
}

/** Whether the ledger shows what really happened. Gives the number of second effects. */
async function judge(
  place: Workplace,
  journal: Journal,
  subject: string,
  sends: Sends,
  idempotencyKeys: boolean,
): Promise<number> {
  const effects = place.booking.bookings(subject).map(({ id }) => id);
  const expected = idempotencyKeys || sends === 'before the second claims' ? 1 : 2;
  insist(journal, subject, effects.length === expected, `sent ${sends}: ${effects.length} effects, not ${expected}`);
  const action = await place.owner.find(journal.calls, subject);
  const shown = action?.contradictions ?? [];
  insist(journal, subject, shown.includes('two_effects') === effects.length > 1, `sent ${sends}: ${shown.join()}`);
  const kept = [...(action?.references ?? [])].sort();
  insist(
    journal,
    subject,
    kept.join() === [...effects].sort().join(),
    `the ledger knows ${kept.join()} of ${effects.join()}`,
  );
  return effects.length - 1;
}
