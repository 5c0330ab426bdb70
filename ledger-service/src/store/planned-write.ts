import { type Action } from '../domain/action';
import { type Change, type Decision } from '../domain/decision';
import { type Operation } from '../domain/policy';
import { STATE_CODES } from '../domain/states';
import { type Write } from './change-record';
import { type Item } from './item';
import { type ActionAt } from './read-actions';
import { streamId } from './subject-streams';
import { type Written } from './write-changes';

/** The commands on one action. Decided in their order of arrival, on what the one before left. */
export interface Group {
  /** Workspace and identity in one. */
  name: string;
  workspaceNo: number;
  id: string;
  items: Item[];
  /** What is taken to be there in this round. The write's fence proves it. */
  known: ActionAt | null;
  /** Nothing has been seen of it yet. */
  mayBeNew: boolean;
  /** In this round it was taken to be new and not read. */
  assumed: boolean;
}

export interface Planned {
  group: Group;
  item: Item;
  decision: Decision;
  change: Change;
  write: Write;
  /** Settled with the write: they were decided on what it leaves. */
  followers: { item: Item; decision: Decision; newestVersion: number | null }[];
  operation: Operation;
  newestVersion: number | null;
}

/** What the write made of the action: its number, its revision, and the times that only the database knows. */
export function asWritten({ change: { next }, write: { before, expected } }: Planned, written: Written): Action {
  const moved = before?.state !== STATE_CODES[next.state];
  return {
    ...next,
    no: written.no,
    revision: expected + 1,
    since: moved ? written.now : next.since,
    createdAt: before === null ? written.now : next.createdAt,
    open: next.open === null || written.open === null ? next.open : { ...next.open, ...written.open },
  };
}

/** Those who wait for it want to know. */
export const endsAttempt = ({ change: { next }, write: { before } }: Planned): boolean =>
  before?.state === STATE_CODES.in_progress && next.state !== 'in_progress';

export function writeOf(
  item: Item,
  decision: Decision,
  change: Change,
  before: Action | null,
  operation: Operation,
): Write {
  const { command } = item;
  const grants = command.kind === 'claim' && decision.answer === 'proceed' && !decision.replayed;
  return {
    change,
    before:
      before === null
        ? null
        : {
            state: STATE_CODES[before.state],
            references: before.references,
            idempotencyKey: before.idempotencyKey,
          },
    expected: before?.revision ?? 0,
    policyRevision: operation.revision,
    stream:
      grants && command.subjectVersion !== null ? { id: streamId(command), value: command.subjectVersion.value } : null,
    event:
      item.event === null || item.eventRecorded || decision.again || decision.replayed
        ? null
        : { ...item.event, decision: decision.answer },
  };
}
