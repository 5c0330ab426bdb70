import { HistoryRecorder } from '../../model/checker';
import { type Receipt } from './receipt';

/** What the ledger acknowledged to the workers: none of it may be missing afterwards. */
export class Journal {
  /** Every action that was asked for, by its subject. */
  readonly subjects = new Set<string>();
  readonly receipts: AcknowledgedReceipt[] = [];
  readonly events: AcknowledgedEvent[] = [];
  readonly grants: Grant[] = [];
  /** Every call and its answer, by subject. */
  readonly calls = new HistoryRecorder();
  /** What no caller may meet, in words. One is enough to fail the run. */
  readonly surprises: string[] = [];
  /** The longest time that somebody asked until an answer helped, in milliseconds. */
  longestWaitMs = 0;

  /** @param effectsOf what really happened at the destination for a subject: the references that it gave out */
  constructor(readonly effectsOf: (subject: string) => readonly string[]) {}
}

export interface AcknowledgedReceipt extends Receipt {
  subject: string;
  attempt: number;
}

export interface AcknowledgedEvent {
  subject: string;
  id: string;
}

/** A permission to act, as a worker was told of it. */
export interface Grant {
  subject: string;
  attempt: number;
  requestToken: string;
}
