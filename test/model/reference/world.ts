import { type ActionStory } from './action-story';
import { type Reading } from './moments';

/** What an operation allows, as far as it decides anything. */
export interface Policy {
  configured: boolean;
  revision: number;
  leaseSeconds: number;
  maxAttempts: number;
  retryAfterFailure: boolean;
  destinationIdempotency: 'none' | 'key';
  destinationWindowSeconds: number | null;
  safeRepeat: boolean;
  settleSeconds: number;
  owner: string | null;
  reviewHours: number;
  replayWindowDays: number | null;
}

/** The safe defaults of the design. */
export const SAFE_DEFAULTS: Readonly<Policy> = {
  configured: false,
  revision: 1,
  leaseSeconds: 300,
  maxAttempts: 10,
  retryAfterFailure: true,
  destinationIdempotency: 'none',
  destinationWindowSeconds: null,
  safeRepeat: false,
  settleSeconds: 300,
  owner: null,
  reviewHours: 24,
  replayWindowDays: null,
};

export interface KeyName {
  workspace: string;
  account: string;
  subject: string;
  operation: string;
  version: number;
}

interface Stream {
  kind: 'sequence' | 'time';
  newest: number;
}

interface EventSeen {
  source: string;
  id: string;
  firstSeen: Reading;
  /** By the place of the action that it asked for. */
  asked: Record<number, { deliveries: number; last: Reading; decision: string }>;
}

/** How often an event has asked for one action, this time included. */
export interface EventOfAction {
  deliveries: number;
  firstSeen: Reading;
}

/** All that one case is about. Plain data: a copy of it is another course of events. */
export interface World {
  keys: readonly KeyName[];
  actions: (ActionStory | null)[];
  /** By workspace and operation. */
  policies: Record<string, Policy>;
  /** The newest subject versions, by workspace, account, subject and stream. */
  streams: Record<string, Stream>;
  /** By workspace, source and ID. */
  events: Record<string, EventSeen>;
  /** What the ledger made up (IDs, keys, tokens) under the names that the model has for it. */
  made: Record<string, string>;
}

export function newWorld(keys: readonly KeyName[]): World {
  return { keys, actions: keys.map(() => null), policies: {}, streams: {}, events: {}, made: {} };
}

export function keyAt(world: World, place: number): KeyName {
  const key = world.keys[place];
  if (key === undefined) throw new Error(`There is no key ${place} in this case`);
  return key;
}

export function policyOf(world: World, place: number): Policy {
  const { workspace, operation } = keyAt(world, place);
  return world.policies[`${workspace} ${operation}`] ?? SAFE_DEFAULTS;
}

export const copyOf = (world: World): World => structuredClone(world);

/**
 * The ledger's stored times of these actions were moved back: everything is as that much later. History and events stay
 * as they were written.
 */
export function agedBy(world: World, ms: number): void {
  for (const event of Object.values(world.events)) {
    event.firstSeen = { ...event.firstSeen };
    for (const asks of Object.values(event.asked)) asks.last = { ...asks.last };
  }
  const moved = new Set<Reading>();
  for (const action of world.actions) {
    if (action === null) continue;
    for (const entry of action.history) entry.at = { ...entry.at, reading: { ...entry.at.reading } };
    for (const moment of timesOf(action)) moved.add(moment.reading);
  }
  for (const reading of moved) {
    reading.from -= ms;
    reading.to -= ms;
  }
}

function timesOf({ since, createdAt, keys, due, reviewBy, settleFrom }: ActionStory) {
  return [since, createdAt, ...keys.map(({ claimedAt }) => claimedAt), due, reviewBy, settleFrom].filter(
    (moment) => moment !== null,
  );
}
