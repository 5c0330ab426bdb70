import { type Random } from '../../../faults/random';
import { type ReceiptOutcome } from '../history';
import { type Disturbance } from './ledger-caller';

/** What one caller does next. All of it is drawn from the seed before anything runs; only the answers are the ledger's. */
export interface Step {
  readonly kind: Kind;
  readonly subject: string;
  /** Which service is asked. */
  readonly service: number;
  readonly disturbed: Disturbance;
  /** The next tries of the same call, where an answer did not come. */
  readonly repeats: number;
  readonly outcome: ReceiptOutcome;
  readonly reference: string | null;
  readonly leaseSeconds: number;
  readonly resolution: 'happened' | 'not_happened' | 'still_unknown';
  /** Which of the claims that are known is meant, from 0 (the newest) on. */
  readonly back: number;
  /** Wait until short leases are over. */
  readonly waitMs: number;
  readonly trouble: Trouble | null;
}

/** What happens to more than one call at the moment of a step. */
export type Trouble = 'cut the callers' | 'lose the answers of the database' | 'cut the database';

const KINDS = {
  claim: 24,
  receipt: 30,
  heartbeat: 8,
  release: 7,
  'release of a call': 3,
  read: 10,
  find: 4,
  resolve: 8,
  'the same call': 5,
  register: 2,
  ended: 3,
  override: 2,
};
type Kind = keyof typeof KINDS;
const KIND_OF_A_HUNDRED = Object.entries(KINDS).flatMap(([kind, share]) => Array<Kind>(share).fill(kind as Kind));

/** Keys that are busy at the same time: not many more than callers, so that most calls meet others for the same key. */
const KEYS_AT_ONCE = 36;
const LATER_STEPS = 10;
const SHORT_LEASE_MS = 1_000;

/** One group of keys after the other; for each group, what every caller does in turn. */
export function planOf(random: Random, { keys, callers }: { keys: number; callers: number }): Step[][][] {
  const groups: Step[][][] = [];
  for (let first = 0; first < keys; first += KEYS_AT_ONCE) {
    const subjects = Array.from({ length: Math.min(KEYS_AT_ONCE, keys - first) }, (_, at) => `order-${first + at}`);
    // Several callers come for a new key at the same moment.
    const opening = random.shuffled(subjects).flatMap((subject) => {
      const arriving = random.between(2, 5);
      return Array.from({ length: arriving }, () => step(random, subject, 'claim'));
    });
    const later = random.shuffled(
      subjects.flatMap((subject) =>
        Array.from({ length: LATER_STEPS }, () => step(random, subject, random.pick(KIND_OF_A_HUNDRED))),
      ),
    );
    groups.push(dealt([...opening, ...later], callers));
  }
  return groups;
}

/** In turn to all callers; each waits once, so that leases end in the midst of it. */
function dealt(steps: readonly Step[], callers: number): Step[][] {
  return Array.from({ length: callers }, (_, caller) => {
    const own = steps.filter((_step, index) => index % callers === caller);
    const middle = Math.floor(own.length / 2);
    return own.map((one, index) => (index === middle ? { ...one, waitMs: SHORT_LEASE_MS + 200 } : one));
  });
}

function step(random: Random, subject: string, kind: Kind): Step {
  const outcome = random.pick(['confirmed', 'confirmed', 'failed', 'failed', 'unknown'] as const);
  return {
    kind,
    subject,
    service: random.between(0, 1),
    disturbed: {
      answerIsLost: random.percent(12),
      hangUpAfterMs: random.percent(5) ? random.between(1, 30) : null,
    },
    repeats: random.between(0, 2),
    outcome,
    reference: outcome === 'confirmed' && random.percent(85) ? `RSV-${random.percent(85) ? subject : 'another'}` : null,
    leaseSeconds: random.percent(50) ? SHORT_LEASE_MS / 1000 : 300,
    resolution: random.pick(['happened', 'not_happened', 'not_happened', 'still_unknown'] as const),
    back: random.percent(70) ? 0 : random.between(1, 4),
    waitMs: 0,
    trouble: random.percent(3)
      ? random.pick(['cut the callers', 'lose the answers of the database', 'cut the database'] as const)
      : null,
  };
}
