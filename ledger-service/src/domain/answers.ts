import { type Action } from './action';
import { writtenForm } from './action-key';
import { issueToken } from './claim-token';
import { type ClaimCommand } from './commands';
import { type Decision } from './decision';
import { type OperationPolicy } from './policy';
import { claimReason, receiptReason } from './reasons';
import { type StoredState } from './states';

/** The answers of the holder's side, as they go over the wire. Times are ISO 8601 in UTC. */

/** What an answer is made from: the decision, the action as it leaves it, and the clock at that moment. */
export interface Outcome<C> {
  command: C;
  actionId: string;
  decision: Decision;
  action: Action | null;
  policy: OperationPolicy;
  operationConfigured: boolean;
  /** Milliseconds, the database's clock. */
  now: number;
  event: { deliveries: number; firstSeenAt: number } | null;
  newestVersion: number | null;
}

export interface ReceiptView {
  outcome: 'confirmed';
  reference: string | null;
  references: string[];
  attempt: number | null;
  recordedAt: string;
  testRun: boolean;
}

export interface UnknownView {
  since: string;
  cause: string | null;
  owner: string | null;
  reviewBy: string | null;
}

export interface ClaimAnswer {
  decision: Decision['answer'];
  reason: string;
  actionId: string;
  actionKey: string;
  state: StoredState | null;
  attempt: number | null;
  historySeq: number | null;
  claimToken: string | null;
  idempotencyKey: string | null;
  leaseExpiresAt: string | null;
  leaseMs: number | null;
  repeat: boolean;
  replayed: boolean;
  receipt: ReceiptView | null;
  event: { duplicate: boolean; deliveries: number; firstSeenAt: string } | null;
  unknown: UnknownView | null;
  newer: { stream: string; value?: number; occurredAt?: string } | null;
  operationConfigured: boolean;
}

/** References in a claim's answer; `GET /v1/actions/{id}` shows all that are kept. */
const SHOWN_REFERENCES = 10;

export const iso = (at: number): string => new Date(at).toISOString();
const isoOrNull = (at: number | null | undefined): string | null => (at == null ? null : iso(at));

export function receiptView(action: Action): ReceiptView | null {
  if (action.state !== 'confirmed') return null;
  return {
    outcome: 'confirmed',
    reference: action.references[0] ?? null,
    references: action.references.slice(0, SHOWN_REFERENCES),
    attempt: action.confirmedAttempt,
    recordedAt: iso(action.since),
    testRun: action.testRun,
  };
}

export function unknownView(action: Action, policy: OperationPolicy): UnknownView | null {
  if (action.state !== 'unknown') return null;
  return {
    since: iso(action.since),
    cause: action.cause,
    owner: action.open?.owner ?? policy.owner,
    reviewBy: isoOrNull(action.open?.reviewBy),
  };
}

export function claimAnswer(outcome: Outcome<ClaimCommand>): ClaimAnswer {
  const { decision, action, command, policy, event } = outcome;
  const granted = decision.answer === 'proceed' && action !== null;
  const held = granted || decision.answer === 'in_progress';
  const version = command.subjectVersion;
  const stale = decision.answer === 'stale' && version !== null && outcome.newestVersion !== null;
  return {
    decision: decision.answer,
    reason: claimReason(outcome),
    actionId: outcome.actionId,
    actionKey: writtenForm(command.key),
    state: action?.state ?? null,
    attempt: action?.attempt ?? null,
    historySeq: action?.historySeq ?? null,
    claimToken: granted ? issueToken(action.id, action.attempt, action.secret) : null,
    idempotencyKey: granted ? action.idempotencyKey : null,
    leaseExpiresAt: held ? isoOrNull(action?.open?.dueAt) : null,
    leaseMs: granted ? action.leaseMs : null,
    repeat: granted && action.claimedFrom === 'unknown',
    replayed: decision.replayed,
    receipt: action === null ? null : receiptView(action),
    event:
      event === null
        ? null
        : { duplicate: event.deliveries > 1, deliveries: event.deliveries, firstSeenAt: iso(event.firstSeenAt) },
    unknown: action === null ? null : unknownView(action, policy),
    newer: stale ? newerView(version, outcome.newestVersion ?? 0) : null,
    operationConfigured: outcome.operationConfigured,
  };
}

function newerView(version: NonNullable<ClaimCommand['subjectVersion']>, newest: number): ClaimAnswer['newer'] {
  const stream = version.stream.slice(version.stream.indexOf(':') + 1);
  return version.kind === 'time' ? { stream, occurredAt: iso(newest) } : { stream, value: newest };
}

interface ActionFacts {
  state: StoredState | null;
  actionId: string;
  actionKey: string | null;
  attempt: number | null;
  historySeq: number | null;
}

export function actionFacts({ actionId, action }: Pick<Outcome<unknown>, 'actionId' | 'action'>): ActionFacts {
  return {
    actionId,
    actionKey: action === null ? null : writtenForm(action.key),
    state: action?.state ?? null,
    attempt: action?.attempt ?? null,
    historySeq: action?.historySeq ?? null,
  };
}

export interface ReceiptAnswer extends ActionFacts {
  result: 'recorded' | 'superseded' | 'contradiction' | 'not_applicable';
  reason: string;
  late: boolean;
  replayed: boolean;
  contradiction: string | null;
}

export function receiptAnswer(outcome: Outcome<unknown>): ReceiptAnswer {
  const { decision } = outcome;
  return {
    result: decision.answer as ReceiptAnswer['result'],
    reason: receiptReason(outcome),
    late: decision.late,
    replayed: decision.replayed,
    contradiction: decision.contradiction,
    ...actionFacts(outcome),
  };
}

export interface HeartbeatAnswer extends ActionFacts {
  result: 'extended' | 'lost';
  leaseExpiresAt: string | null;
  leaseMs: number | null;
}

export function heartbeatAnswer(outcome: Outcome<unknown>): HeartbeatAnswer {
  const extended = outcome.decision.answer === 'extended';
  return {
    result: extended ? 'extended' : 'lost',
    leaseExpiresAt: extended ? isoOrNull(outcome.action?.open?.dueAt) : null,
    leaseMs: extended ? (outcome.action?.leaseMs ?? null) : null,
    ...actionFacts(outcome),
  };
}

export interface ReleaseAnswer extends ActionFacts {
  result: 'released' | 'not_applicable';
  replayed: boolean;
}

export function releaseAnswer(outcome: Outcome<unknown>): ReleaseAnswer {
  return {
    result: outcome.decision.answer === 'released' ? 'released' : 'not_applicable',
    replayed: outcome.decision.replayed,
    ...actionFacts(outcome),
  };
}

export interface RegisterAnswer extends ActionFacts {
  decision: 'registered' | 'exists' | 'mismatch';
}

export function registerAnswer(outcome: Outcome<unknown>): RegisterAnswer {
  return { decision: outcome.decision.answer as RegisterAnswer['decision'], ...actionFacts(outcome) };
}
