import { type OpenLedger } from '../store/open-ledger';
import { type StateName } from '../store/stored-action';
import { Story } from './story';

/** A situation that a command can meet, and the way there through real commands. */
export interface Situation {
  state: StateName;
  /** `charge` may be repeated under the idempotency key; the others may not. Default `reserve-seat`. */
  operation?: 'charge' | 'charge-once' | 'charge-never-again';
  make: (story: Story) => Promise<void>;
}

const SHORT = { leaseSeconds: 1 };

const unknownByCrash = async (story: Story): Promise<void> => {
  await story.claim();
  await story.crash();
};

const failed = async (story: Story): Promise<void> => {
  await story.claim();
  await story.receipt('failed', { evidence: { status: 402 } });
};

const notHappened = async (story: Story): Promise<void> => {
  await unknownByCrash(story);
  await story.resolve('not_happened');
};

const repeated = async (story: Story, lease = {}): Promise<void> => {
  await unknownByCrash(story);
  await story.claim(lease);
};

/** Attempt 1 was reconciled as not happened, and is confirmed after all while attempt 2 is under way. */
const effectSeen = async (story: Story, lease = {}): Promise<void> => {
  await notHappened(story);
  await story.claim(lease);
  await story.receipt('confirmed', { attempt: story.attempts[0]!, reference: 'RSV-1' });
};

const confirmed = async (story: Story): Promise<void> => {
  await story.claim();
  await story.receipt('confirmed', { reference: 'RSV-1', evidence: { seat: 12 } });
};

export const SITUATIONS = {
  none: { state: 'none', make: () => Promise.resolve() },

  'pending: registered': { state: 'pending', make: (story) => story.register() },
  'pending: released': {
    state: 'pending',
    make: async (story) => {
      await story.claim();
      await story.release();
    },
  },
  'pending: released twice': {
    state: 'pending',
    make: async (story) => {
      await story.claim();
      await story.release();
      await story.claim();
      await story.release();
    },
  },

  'in progress: lease live': {
    state: 'in_progress',
    make: async (story) => {
      await story.claim();
    },
  },
  'in progress: lease over': {
    state: 'in_progress',
    make: async (story) => {
      await story.claim(SHORT);
      await story.leaseOver();
    },
  },
  'in progress: a repeat, lease live': { state: 'in_progress', operation: 'charge', make: (story) => repeated(story) },
  'in progress: a repeat, lease over': {
    state: 'in_progress',
    operation: 'charge',
    make: async (story) => {
      await repeated(story, SHORT);
      await story.leaseOver();
    },
  },
  'in progress: after a failed attempt': {
    state: 'in_progress',
    make: async (story) => {
      await failed(story);
      await story.claim();
    },
  },
  'in progress: after one that did not happen': {
    state: 'in_progress',
    make: async (story) => {
      await notHappened(story);
      await story.claim();
    },
  },
  'in progress: effect seen, lease live': { state: 'in_progress', make: (story) => effectSeen(story) },
  'in progress: effect seen, lease over': {
    state: 'in_progress',
    make: async (story) => {
      await effectSeen(story, SHORT);
      await story.leaseOver();
    },
  },

  'confirmed: by receipt': { state: 'confirmed', make: confirmed },
  'confirmed: by a receipt without reference': {
    state: 'confirmed',
    make: async (story) => {
      await story.claim();
      await story.receipt('confirmed', { evidence: { seat: 12 } });
    },
  },
  'confirmed: by the second attempt': {
    state: 'confirmed',
    make: async (story) => {
      await failed(story);
      await story.claim();
      await story.receipt('confirmed', { reference: 'RSV-2' });
    },
  },
  'confirmed: by an older attempt': {
    state: 'confirmed',
    make: async (story) => {
      await effectSeen(story);
      await story.receipt('failed', { evidence: { status: 402 } });
    },
  },
  'confirmed: by reconciliation': {
    state: 'confirmed',
    make: async (story) => {
      await unknownByCrash(story);
      await story.resolve('happened', { reference: 'RSV-1' });
    },
  },
  'confirmed: by reconciliation, never claimed': {
    state: 'confirmed',
    make: async (story) => {
      await story.register();
      await story.resolve('happened', { reference: 'RSV-1' });
    },
  },

  'failed: by receipt': { state: 'failed', make: failed },
  'failed: twice': {
    state: 'failed',
    make: async (story) => {
      await failed(story);
      await failed(story);
    },
  },
  'failed: reconciled as not happened': { state: 'failed', make: notHappened },
  'failed: as often as allowed': { state: 'failed', operation: 'charge-once', make: failed },
  'failed: no other attempt allowed': { state: 'failed', operation: 'charge-never-again', make: failed },

  'unknown: lease over': {
    state: 'unknown',
    make: async (story) => {
      await story.claim(SHORT);
      await story.leaseOver();
      // Whoever comes first finds out; a sweep would do the same, for all stories of the file at once.
      await story.ask();
    },
  },
  'unknown: by receipt': {
    state: 'unknown',
    make: async (story) => {
      await story.claim();
      await story.receipt('unknown', { cause: 'timeout' });
    },
  },
  'unknown: by a crash': { state: 'unknown', make: unknownByCrash },
  'unknown: safe to repeat': { state: 'unknown', operation: 'charge', make: unknownByCrash },
  'unknown: a repeat was refused': {
    state: 'unknown',
    operation: 'charge',
    make: async (story) => {
      await repeated(story);
      await story.receipt('failed', { evidence: { status: 402 } });
    },
  },
  'unknown: a repeat crashed too': {
    state: 'unknown',
    operation: 'charge',
    make: async (story) => {
      await repeated(story);
      await story.crash();
    },
  },
  'unknown: after a failed attempt': {
    state: 'unknown',
    make: async (story) => {
      await failed(story);
      await unknownByCrash(story);
    },
  },
  'unknown: still unknown': {
    state: 'unknown',
    make: async (story) => {
      await unknownByCrash(story);
      await story.resolve('still_unknown', { owner: 'front desk' });
    },
  },
  'unknown: it was failed first': {
    state: 'unknown',
    make: async (story) => {
      await failed(story);
      await story.receipt('unknown', { cause: 'timeout' });
    },
  },
  'unknown: overridden': {
    state: 'unknown',
    make: async (story) => {
      await confirmed(story);
      await story.override();
    },
  },
} as const satisfies Record<string, Situation>;

export type SituationName = keyof typeof SITUATIONS;
export const SITUATION_NAMES = Object.keys(SITUATIONS) as SituationName[];

export const situation = (name: SituationName): Situation => SITUATIONS[name];

/** The policies that the situations rest on. */
export async function configureOperations(open: OpenLedger): Promise<void> {
  await open.configure('reserve-seat', { owner: 'front desk' });
  await open.configure('charge', {
    destinationIdempotency: 'key',
    destinationWindowSeconds: 86_400,
    safeRepeat: true,
  });
  await open.configure('charge-once', { maxAttempts: 1 });
  await open.configure('charge-never-again', { retryAfterFailure: false });
}

/** One story for each situation, told at the same time: leases run out together. */
export async function tell(open: OpenLedger, names: readonly SituationName[]): Promise<Map<SituationName, Story>> {
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[SituationName, Story]> => {
        const { operation, make } = situation(name);
        const story = new Story(open, operation);
        await make(story);
        return [name, story];
      }),
    ),
  );
}
