import { randomUUID } from 'node:crypto';

import { type PolicyChange } from '../../../ledger-service/src/domain/policy-change';
import { Problem } from '../../../ledger-service/src/domain/problem';
import { type ClaimRequest, type ReceiptRequest } from '../../../ledger-service/src/domain/requests';
import { configureOperation } from '../../../ledger-service/src/store/configure-operation';
import { type Ledger } from '../../../ledger-service/src/store/ledger';
import { type PausePoint } from '../../../ledger-service/src/store/pause-point';
import { DETAILS } from '../domain/story';
import { type RaceStory } from './race-story';

/** What both are answered, and what is stored afterwards. */
export interface Outcome {
  stopped: unknown;
  other: unknown;
  stored: unknown;
}

/**
 * Two who want something of one action at the same time, through two ledgers. One is stopped somewhere on its way, and
 * the other does all of its own meanwhile. What comes out is what one after the other would have: it says itself which.
 */
export interface Race {
  name: string;
  operation?: 'charge' | 'charge-once';
  /** For an operation of the story's own; null where nobody has named it yet. */
  policy?: PolicyChange | null;
  make: (story: RaceStory) => Promise<unknown>;
  stopped: (story: RaceStory, ledger: Ledger) => Promise<unknown>;
  other: (story: RaceStory, ledger: Ledger) => Promise<unknown>;
  /** After the connection was had for the statement before the last pass of this point, the stopped one was first. */
  decidedBy: PausePoint;
  otherFirst: Outcome;
  stoppedFirst: Outcome;
  /** A command of two steps (an ended lease, then the claim that met it): the other may also come between them. */
  between?: Outcome & { decidedBy: PausePoint };
}

const workspace = (story: RaceStory): number => story.open.workspaceNo;

const claim =
  (more: Partial<ClaimRequest> = {}) =>
  async (story: RaceStory, ledger: Ledger): Promise<unknown> =>
    (await ledger.claim(workspace(story), { claims: [{ ...story.key, ...more }] }))[0];

/** A claim that may repeat, where the policy allows it. */
const repeat = claim({
  details: DETAILS,
  holder: { kind: 'n8n', instanceId: 'n8n-1', workflowId: 'booking', executionId: 'repeat', sendsIdempotencyKey: true },
});

const receipt =
  (outcome: ReceiptRequest['outcome'], more: Partial<ReceiptRequest> = {}) =>
  async (story: RaceStory, ledger: Ledger): Promise<unknown> => {
    const { claimToken } = story.current;
    return (await ledger.receipts(workspace(story), [{ claimToken, outcome, ...more }]))[0];
  };

/** Behind the fence as the story was when the race began. */
const resolve =
  (outcome: 'happened' | 'not_happened') =>
  (story: RaceStory, ledger: Ledger): Promise<unknown> =>
    ledger
      .resolve(workspace(story), story.id, { outcome, reason: 'looked up', ...story.fenceAtStart }, 'tests')
      .then(({ settled }) => settled.decision.answer, refusalCode);

const override = (story: RaceStory, ledger: Ledger): Promise<unknown> =>
  ledger
    .override(workspace(story), story.id, {
      ...story.fenceAtStart,
      by: 'Ada',
      secondPerson: 'Grace',
      reason: 'the booking system lost it',
    })
    .then(({ decision }) => decision.answer, refusalCode);

function refusalCode(error: unknown): string {
  if (error instanceof Problem) return error.code;
  throw error;
}

const release = async (story: RaceStory, ledger: Ledger): Promise<unknown> =>
  (await ledger.releases(workspace(story), [{ claimToken: story.current.claimToken }]))[0];

const heartbeat = async (story: RaceStory, ledger: Ledger): Promise<unknown> =>
  (await ledger.heartbeats(workspace(story), [{ claimToken: story.current.claimToken }]))[0];

const endExecution = async (story: RaceStory, ledger: Ledger): Promise<unknown> =>
  (await ledger.endExecution(workspace(story), { holder: story.holder(story.current.executionId) })).map(
    ({ state }) => state,
  );

/** Of this action: a sweep is for all of the ledger. */
const sweep = (_story: RaceStory, ledger: Ledger): Promise<unknown> => ledger.sweep();

const setLease =
  (leaseSeconds: number) =>
  async (story: RaceStory, { operations }: Ledger): Promise<unknown> => {
    const name = { workspaceNo: workspace(story), name: story.operation };
    const revision = story.revisionAtStart;
    return configureOperation(operations, { ...name, change: { leaseSeconds }, revision }).then(
      (saved) => saved.policy.leaseSeconds,
      refusalCode,
    );
  };

const claimed = (story: RaceStory): Promise<unknown> => story.claim();
const leaseOver = async (story: RaceStory): Promise<void> => {
  await story.claim({ leaseSeconds: 1 });
  await story.leaseOver();
};
const crashed = async (story: RaceStory): Promise<void> => {
  await story.claim();
  await story.crash();
};
const failed = async (story: RaceStory): Promise<void> => {
  await story.claim();
  await story.receipt('failed');
};
const confirmed = async (story: RaceStory): Promise<void> => {
  await story.claim();
  await story.receipt('confirmed', { reference: 'RSV-1' });
};

const once = { state: 'in_progress', attempt: 1 };
const proceed = { decision: 'proceed', attempt: 1 };
const inProgress = { decision: 'in_progress', claimToken: null };
const kinds = (...names: string[]): object[] => names.map((kind) => ({ kind }));

export const RACES: readonly Race[] = [
  {
    name: 'a first claim and another',
    make: () => Promise.resolve(),
    stopped: claim(),
    other: claim(),
    decidedBy: 'changes written',
    otherFirst: { stopped: inProgress, other: proceed, stored: once },
    stoppedFirst: { stopped: proceed, other: inProgress, stored: once },
  },
  {
    name: 'a first claim of an operation that nobody has named and another',
    policy: null,
    make: () => Promise.resolve(),
    stopped: claim(),
    other: claim(),
    decidedBy: 'changes written',
    otherFirst: { stopped: inProgress, other: proceed, stored: once },
    stoppedFirst: { stopped: proceed, other: inProgress, stored: once },
  },
  {
    name: 'a first claim and a registration',
    make: () => Promise.resolve(),
    stopped: claim(),
    other: async (story, ledger) => (await ledger.register(workspace(story), [story.key]))[0],
    decidedBy: 'changes written',
    otherFirst: { stopped: proceed, other: { decision: 'registered' }, stored: { ...once, historySeq: 2 } },
    stoppedFirst: { stopped: proceed, other: { decision: 'exists' }, stored: { ...once, historySeq: 1 } },
  },
  {
    name: 'a first claim for an event and another for the same event',
    make: () => Promise.resolve(),
    stopped: claim({ event: { source: 'shop', id: 'evt-1' } }),
    other: claim({ event: { source: 'shop', id: 'evt-1' } }),
    decidedBy: 'changes written',
    otherFirst: { stopped: { ...inProgress, event: { deliveries: 2 } }, other: proceed, stored: once },
    stoppedFirst: { stopped: { ...proceed, event: { deliveries: 1 } }, other: inProgress, stored: once },
  },
  {
    name: 'a first claim and another policy',
    policy: { leaseSeconds: 300 },
    make: () => Promise.resolve(),
    stopped: claim(),
    other: setLease(77),
    decidedBy: 'changes written',
    otherFirst: { stopped: proceed, other: 77, stored: { ...once, leaseMs: 77_000 } },
    stoppedFirst: { stopped: proceed, other: 77, stored: { ...once, leaseMs: 300_000 } },
  },
  {
    name: 'a first claim with a subject version and a claim with a newer one',
    make: () => Promise.resolve(),
    stopped: claim({ subjectVersion: { value: 5 } }),
    other: claim({ version: 2, subjectVersion: { value: 9 } }),
    decidedBy: 'changes written',
    otherFirst: { stopped: { decision: 'stale', newer: { value: 9 } }, other: proceed, stored: null },
    stoppedFirst: { stopped: proceed, other: proceed, stored: once },
  },
  {
    name: 'a claim of a failed action and another',
    make: failed,
    stopped: claim(),
    other: claim(),
    decidedBy: 'changes written',
    otherFirst: { stopped: inProgress, other: { decision: 'proceed', attempt: 2 }, stored: { attempt: 2 } },
    stoppedFirst: { stopped: { decision: 'proceed', attempt: 2 }, other: inProgress, stored: { attempt: 2 } },
  },
  {
    name: 'a claim of a pending action and its reconciliation',
    make: (story) => story.register(),
    stopped: claim(),
    other: resolve('happened'),
    decidedBy: 'changes written',
    otherFirst: {
      stopped: { decision: 'already_done' },
      other: 'resolved',
      stored: { state: 'confirmed', attempt: 0 },
    },
    stoppedFirst: { stopped: proceed, other: 'stale_resolution', stored: once },
  },
  {
    name: 'a claim of what is in progress and the receipt',
    make: claimed,
    stopped: claim(),
    other: receipt('confirmed', { reference: 'RSV-1' }),
    decidedBy: 'actions read',
    otherFirst: {
      stopped: { decision: 'already_done' },
      other: { result: 'recorded' },
      stored: { state: 'confirmed' },
    },
    stoppedFirst: { stopped: inProgress, other: { result: 'recorded' }, stored: { state: 'confirmed' } },
  },
  {
    name: 'a claim that finds the lease over and the late receipt',
    make: leaseOver,
    stopped: claim(),
    other: receipt('confirmed', { reference: 'RSV-1' }),
    decidedBy: 'changes written',
    otherFirst: {
      stopped: { decision: 'already_done' },
      other: { result: 'recorded', late: true },
      stored: { state: 'confirmed', historySeq: 2 },
    },
    between: {
      decidedBy: 'actions read',
      stopped: { decision: 'already_done' },
      other: { result: 'recorded', late: true },
      stored: { state: 'confirmed', historySeq: 3 },
    },
    stoppedFirst: {
      stopped: { decision: 'unknown' },
      other: { result: 'recorded', late: true },
      stored: { state: 'confirmed', historySeq: 3 },
    },
  },
  {
    name: 'a safe repeat and the finding that it happened',
    operation: 'charge',
    make: crashed,
    stopped: repeat,
    other: resolve('happened'),
    decidedBy: 'changes written',
    otherFirst: {
      stopped: { decision: 'already_done' },
      other: 'resolved',
      stored: { state: 'confirmed', attempt: 1 },
    },
    stoppedFirst: {
      stopped: { decision: 'proceed', repeat: true, attempt: 2 },
      other: 'stale_resolution',
      stored: { state: 'in_progress', attempt: 2 },
    },
  },
  {
    name: 'a receipt and the contrary',
    make: claimed,
    stopped: receipt('failed'),
    other: receipt('confirmed', { reference: 'RSV-1' }),
    decidedBy: 'changes written',
    otherFirst: {
      stopped: { result: 'contradiction' },
      other: { result: 'recorded', late: false },
      stored: { state: 'confirmed', contradictions: ['failed_after_confirmed'] },
    },
    stoppedFirst: {
      stopped: { result: 'recorded', late: false },
      other: { result: 'recorded', late: true },
      stored: { state: 'confirmed', contradictions: ['after_failed'] },
    },
  },
  {
    name: 'a receipt and the same again',
    make: claimed,
    stopped: receipt('confirmed', { reference: 'RSV-1' }),
    other: receipt('confirmed', { reference: 'RSV-1' }),
    decidedBy: 'changes written',
    otherFirst: {
      stopped: { result: 'recorded', replayed: true },
      other: { result: 'recorded', replayed: false },
      stored: { state: 'confirmed', historySeq: 2, contradictions: [] },
    },
    stoppedFirst: {
      stopped: { result: 'recorded', replayed: false },
      other: { result: 'recorded', replayed: true },
      stored: { state: 'confirmed', historySeq: 2, contradictions: [] },
    },
  },
  {
    name: 'a late receipt and the sweep',
    make: leaseOver,
    stopped: receipt('confirmed', { reference: 'RSV-1' }),
    other: sweep,
    decidedBy: 'changes written',
    otherFirst: {
      stopped: { result: 'recorded', late: true },
      other: 1,
      stored: { state: 'confirmed', historySeq: 3 },
    },
    stoppedFirst: {
      stopped: { result: 'recorded', late: true },
      other: 0,
      stored: { state: 'confirmed', historySeq: 2 },
    },
  },
  {
    name: 'a sweep and another',
    make: leaseOver,
    stopped: sweep,
    other: sweep,
    decidedBy: 'changes written',
    otherFirst: { stopped: 0, other: 1, stored: { state: 'unknown', historySeq: 2 } },
    stoppedFirst: { stopped: 1, other: 0, stored: { state: 'unknown', historySeq: 2 } },
  },
  {
    name: 'a heartbeat and the receipt',
    make: claimed,
    stopped: heartbeat,
    other: receipt('confirmed', { reference: 'RSV-1' }),
    decidedBy: 'changes written',
    otherFirst: { stopped: { result: 'lost' }, other: { result: 'recorded' }, stored: { state: 'confirmed' } },
    stoppedFirst: { stopped: { result: 'extended' }, other: { result: 'recorded' }, stored: { state: 'confirmed' } },
  },
  {
    name: 'a release and a claim',
    make: claimed,
    stopped: release,
    other: claim(),
    decidedBy: 'changes written',
    otherFirst: { stopped: { result: 'released' }, other: inProgress, stored: { state: 'pending', attempt: 1 } },
    stoppedFirst: {
      stopped: { result: 'released' },
      other: { decision: 'proceed', attempt: 2 },
      stored: { state: 'in_progress', attempt: 2 },
    },
  },
  {
    name: 'the end of an execution and its receipt',
    make: claimed,
    stopped: endExecution,
    other: receipt('confirmed', { reference: 'RSV-1' }),
    decidedBy: 'changes written',
    otherFirst: {
      stopped: [],
      other: { result: 'recorded', late: false },
      stored: { state: 'confirmed', history: kinds('claimed', 'receipt_confirmed') },
    },
    stoppedFirst: {
      stopped: ['unknown'],
      other: { result: 'recorded', late: true },
      stored: { state: 'confirmed', historySeq: 3 },
    },
  },
  {
    name: 'the finding that nothing happened and the receipt',
    make: crashed,
    stopped: resolve('not_happened'),
    other: receipt('confirmed', { reference: 'RSV-1' }),
    decidedBy: 'changes written',
    otherFirst: {
      stopped: 'stale_resolution',
      other: { result: 'recorded', late: true },
      // What was found is kept as evidence beside it.
      stored: { state: 'confirmed', historySeq: 4, contradictions: [] },
    },
    stoppedFirst: {
      stopped: 'resolved',
      other: { result: 'recorded', late: true },
      stored: { state: 'confirmed', contradictions: ['after_not_happened'] },
    },
  },
  {
    name: 'an override and a second confirmation',
    make: confirmed,
    stopped: override,
    other: receipt('confirmed', { reference: 'RSV-2' }),
    decidedBy: 'changes written',
    otherFirst: {
      stopped: 'stale_resolution',
      other: { result: 'contradiction' },
      stored: { state: 'confirmed', contradictions: ['two_effects'] },
    },
    stoppedFirst: { stopped: 'overridden', other: { result: 'recorded' }, stored: { state: 'confirmed' } },
  },
  {
    name: 'a policy and another, both over the same revision',
    policy: { leaseSeconds: 300 },
    make: () => Promise.resolve(),
    stopped: setLease(60),
    other: setLease(77),
    decidedBy: 'policy saved',
    otherFirst: { stopped: 'policy_conflict', other: 77, stored: null },
    stoppedFirst: { stopped: 60, other: 'policy_conflict', stored: null },
  },
];

/** A name that no other story has. */
export const ownOperation = (): string => `operation-${randomUUID().slice(0, 8)}`;
