import { type Action } from '../domain/action';
import { type ClaimToken } from '../domain/claim-token';
import { type Command } from '../domain/commands';
import { type Decision } from '../domain/decision';
import { type Operation } from '../domain/policy';
import { type Problem } from '../domain/problem';
import { type EventAsk } from './event-parts';

/** One command on its way to its answer. */
export interface Item {
  workspaceNo: number;
  actionId: string;
  command: Command;
  /** Proof that the command comes from a holder; checked against the action's secret. */
  token: ClaimToken | null;
  /** The event that the claim names, to be recorded with it. */
  event: Omit<EventAsk, 'decision'> | null;
  /** The event was recorded when this item was settled before; it is settled again after a wait. */
  eventRecorded: boolean;
  /** Filled in when it is settled. */
  settled: Settled | Problem | null;
}

export interface Settled {
  decision: Decision;
  /** The action as the decision leaves it; null where there is none. */
  action: Action | null;
  operation: Operation;
  /** The database's clock at the decision. */
  now: number;
  event: { deliveries: number; firstSeenAt: number } | null;
  newestVersion: number | null;
}
