import { type ClaimAnswer, type ClaimOperation, type ReceiptAnswer, type ReceiptOperation } from '../../model/checker';
import { type Receipt } from '../load/receipt';

/** The points of a worker's way at which something can be done to it. */
export const MOMENTS = [
  'before-claim',
  'claim-under-way',
  'claimed',
  'call-under-way',
  'answered',
  'receipt-under-way',
] as const;

export type Moment = (typeof MOMENTS)[number];

/** One delivery of an event, as a worker gets it. */
export interface Job {
  subject: string;
  operation: string;
  eventId: string;
  ledgerUrl: string;
  apiKey: string;
  destinationUrl: string;
  leaseSeconds: number;
  /** How long the ledger may let the claim wait for another holder, in milliseconds. */
  waitMs: number;
  /** How long the step may take before its outcome counts as unknown, in milliseconds. */
  stepMs: number;
  /** Where something is done to it. It waits there to be let go, unless something is under way. */
  tellAt?: Moment;
}

/** What a worker was answered when it claimed. */
export interface Claimed extends ClaimAnswer {
  attempt: number;
  claimToken: string | null;
  idempotencyKey: string | null;
}

/** A receipt that the ledger acknowledged, and how. */
export interface Acknowledged extends Receipt, ReceiptAnswer {}

export type LedgerOperation = ClaimOperation | ReceiptOperation;

export type ToWorker = { type: 'job'; job: Job } | { type: 'go' };

export type FromWorker =
  | { type: 'ready' }
  /** It would call the ledger, and waits to be let go: so the call can be written down before it is made. */
  | { type: 'asks'; operation: LedgerOperation }
  | { type: 'answered'; answer: ClaimAnswer | ReceiptAnswer }
  /** No answer, or one that leaves open what was done. */
  | { type: 'lost' }
  | { type: 'moment'; moment: Moment }
  | { type: 'ended'; error: string | null };
