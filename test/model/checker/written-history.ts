import {
  type Call,
  type ClaimAnswer,
  type ClaimOperation,
  type HeartbeatAnswer,
  type ReadAnswer,
  type ReceiptAnswer,
  type ReceiptOperation,
  type ReleaseAnswer,
  type ResolveAnswer,
  type ResolveOperation,
  type State,
} from './history';

/** Histories written by hand. Times are milliseconds after one moment; leases last ten seconds. */

export const START = Date.UTC(2026, 0, 1);
export const LEASE = 10_000;

/** When a call was made and answered. */
export type Time = readonly [from: number, to: number];

const iso = (at: number): string => new Date(START + at).toISOString();

function call(time: Time, caller: string, operation: Call['operation'], answer: unknown): Call {
  return {
    caller,
    invoked: START + time[0],
    returned: answer === 'maybe' ? null : START + time[1],
    operation,
    answer,
  } as Call;
}

type Lost = 'maybe' | { refused: string };

export const claim = (time: Time, name: string, answer: ClaimAnswer | Lost, more: Partial<ClaimOperation> = {}): Call =>
  call(time, name, { kind: 'claim', requestToken: `call-${name}`, leaseMs: LEASE, ...more }, answer);

/** Granted at a moment; the token and the lease's end follow from the attempt and it. */
export const proceed = (attempt: number, seq: number, at: number, more: Partial<ClaimAnswer> = {}): ClaimAnswer => ({
  decision: 'proceed',
  state: 'in_progress',
  attempt,
  historySeq: seq,
  claimToken: token(attempt),
  idempotencyKey: 'key-1',
  leaseExpiresAt: iso(at + LEASE),
  repeat: false,
  replayed: false,
  receipt: null,
  ...more,
});

export const token = (attempt: number): string => `token-${attempt}`;

const told =
  (decision: string, state: State) =>
  (attempt: number, seq: number, more: Partial<ClaimAnswer> = {}): ClaimAnswer => ({
    decision,
    state,
    attempt,
    historySeq: seq,
    ...more,
  });

export const unsure = told('unknown', 'unknown');
export const failedForGood = told('failed', 'failed');
export const held = (attempt: number, seq: number, leaseEnds: number): ClaimAnswer =>
  told('in_progress', 'in_progress')(attempt, seq, { leaseExpiresAt: iso(leaseEnds) });
export const done = (attempt: number, seq: number, by = attempt, references = ['RSV-1']): ClaimAnswer =>
  told('already_done', 'confirmed')(attempt, seq, { receipt: { attempt: by, references } });

export function receipt(
  time: Time,
  attempt: number,
  outcome: ReceiptOperation['outcome'],
  answer: ReceiptAnswer | Lost,
  reference: string | null = outcome === 'confirmed' ? 'RSV-1' : null,
): Call {
  const references = reference === null ? [] : [reference];
  return call(time, `holder ${attempt}`, { kind: 'receipt', claimToken: token(attempt), outcome, references }, answer);
}

export const recorded = (
  state: State,
  attempt: number,
  seq: number,
  more: Partial<ReceiptAnswer> = {},
): ReceiptAnswer => ({
  result: 'recorded',
  state,
  attempt,
  historySeq: seq,
  late: false,
  replayed: false,
  contradiction: null,
  ...more,
});

export const heartbeat = (time: Time, attempt: number, answer: HeartbeatAnswer | Lost): Call =>
  call(time, `holder ${attempt}`, { kind: 'heartbeat', claimToken: token(attempt) }, answer);
export const extended = (attempt: number, seq: number, at: number): HeartbeatAnswer => ({
  result: 'extended',
  leaseExpiresAt: iso(at + LEASE),
  state: 'in_progress',
  attempt,
  historySeq: seq,
});

export const release = (time: Time, attempt: number, answer: ReleaseAnswer | Lost): Call =>
  call(time, `holder ${attempt}`, { kind: 'release', claim: { claimToken: token(attempt) } }, answer);
export const releaseOfCall = (time: Time, name: string, answer: ReleaseAnswer | Lost): Call =>
  call(time, name, { kind: 'release', claim: { requestToken: `call-${name}`, position: 0 } }, answer);
export const released = (state: State, attempt: number, seq: number, replayed = false): ReleaseAnswer => ({
  result: 'released',
  replayed,
  state,
  attempt,
  historySeq: seq,
});

export const resolve = (
  time: Time,
  fence: readonly [attempt: number, seq: number],
  outcome: ResolveOperation['outcome'],
  answer: ResolveAnswer | Lost,
): Call => call(time, 'reconciler', { kind: 'resolve', outcome, attempt: fence[0], historySeq: fence[1] }, answer);

export const read = (time: Time, answer: ReadAnswer | Lost): Call => call(time, 'reader', { kind: 'read' }, answer);
export const shown = (state: State, attempt: number, seq: number, more: Partial<ReadAnswer> = {}): ReadAnswer => ({
  state,
  attempt,
  historySeq: seq,
  ...more,
});
