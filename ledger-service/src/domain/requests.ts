import { type Holder } from './action';
import { actionId, type ActionKey, actionKey, digestUuid, normalisePart } from './action-key';
import { type ClaimToken, readToken } from './claim-token';
import {
  type AbandonCommand,
  type ClaimCommand,
  type HeartbeatCommand,
  type OverrideCommand,
  type ReceiptCommand,
  type ReconcileCommand,
  type RegisterCommand,
  type ReleaseCommand,
  type SubjectVersion,
} from './commands';
import { checkJson, fingerprint } from './fingerprint';
import { moment } from './moment';
import { Problem } from './problem';
import { referenceSet } from './reference-set';

/** What callers send, after the transport has checked names and types; here meaning is checked and commands are made. */
export interface KeyRequest {
  account?: string | null;
  subject: string;
  operation: string;
  version?: number | null;
}

export interface ClaimRequest extends KeyRequest {
  event?: { source?: string | null; id: string; occurredAt?: string | null } | null;
  subjectVersion?: { stream?: string | null; value?: number | null; occurredAt?: string | null } | null;
  details?: unknown;
  leaseSeconds?: number | null;
  holder?: (Holder & { sendsIdempotencyKey?: boolean }) | null;
}

export interface RegisterRequest extends KeyRequest {
  details?: unknown;
  dueAt?: string | null;
}

export interface ReceiptRequest {
  claimToken: string;
  outcome: 'confirmed' | 'failed' | 'unknown';
  reference?: string | null;
  references?: string[] | null;
  evidence?: unknown;
  cause?: string | null;
  holder?: Holder | null;
}

export type ReleaseRequest =
  { claimToken: string } | (KeyRequest & { claimToken?: undefined; requestToken: string; position: number });

export interface EndedRequest {
  holder: Holder;
  cause?: AbandonCommand['cause'];
}

export interface ResolutionRequest {
  outcome: ReconcileCommand['outcome'];
  attempt: number;
  historySeq: number;
  reference?: string | null;
  references?: string[] | null;
  evidence?: unknown;
  reason?: string | null;
  owner?: string | null;
  nextCheckAt?: string | null;
  by?: string | null;
  foundBy?: 'person' | 'lookup';
}

export interface OverrideRequest {
  attempt: number;
  historySeq: number;
  by: string;
  secondPerson: string;
  reason: string;
}

export interface EventName {
  id: string;
  source: string;
  eventId: string;
  occurredAt: number | null;
}

/** Free text that people write: no NUL, no half characters, nothing but spaces is nothing. */
function text(value: string | null | undefined, field: string): string | null {
  if (value === undefined || value === null) return null;
  checkJson(value, field);
  const trimmed = value.trim();
  return trimmed === '' ? null : trimmed;
}

export function eventName(source: string | null | undefined, id: string, occurredAt?: string | null): EventName {
  const normalised = {
    source: source === undefined || source === null ? 'default' : normalisePart('source', source),
    eventId: normalisePart('id', id),
  };
  return {
    id: digestUuid('event', normalised.source, normalised.eventId),
    ...normalised,
    occurredAt: moment(occurredAt, 'occurredAt'),
  };
}

/** One execution of one n8n instance; execution IDs repeat across instances. */
export function holderId(holder: Holder | null | undefined): string | null {
  if (holder?.executionId === undefined || holder.executionId === '') return null;
  return digestUuid('holder', holder.instanceId ?? '', holder.workflowId ?? '', holder.executionId);
}

/** The call that a request token stands for. Random where the caller gave none, so that our own retries replay. */
export const callId = (requestToken: string): string => digestUuid('call', requestToken);

function subjectVersion(request: ClaimRequest, key: ActionKey): SubjectVersion | null {
  const given = request.subjectVersion;
  if (given === undefined || given === null) return null;
  const stream =
    given.stream === undefined || given.stream === null
      ? `operation:${key.operation}`
      : `stream:${nested('subjectVersion', () => normalisePart('stream', given.stream))}`;
  const at = nested('subjectVersion', () => moment(given.occurredAt, 'occurredAt'));
  if ((at === null) === (given.value === undefined || given.value === null)) {
    throw new Problem('invalid_request', 'subjectVersion needs either a value or an occurredAt. Nothing was claimed.', {
      field: 'subjectVersion',
    });
  }
  if (at !== null) return { stream, kind: 'time', value: at };
  const value = given.value ?? 0;
  if (!Number.isSafeInteger(value)) {
    throw new Problem('invalid_request', 'subjectVersion.value is no whole number below 2^53. Nothing was claimed.', {
      field: 'subjectVersion.value',
    });
  }
  return { stream, kind: 'sequence', value };
}

function nested<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof Problem ? error.within(path) : error;
  }
}

export function claimCommand(
  request: ClaimRequest,
  call: { id: string | null; position: number },
): { command: ClaimCommand; actionId: string; event: EventName | null } {
  const key = actionKey(request);
  const { event: given, holder } = request;
  const event =
    given === undefined || given === null
      ? null
      : nested('event', () => eventName(given.source, given.id, given.occurredAt));
  const details = request.details ?? null;
  if (holder !== undefined && holder !== null) checkJson(holder, 'holder');
  const { sendsIdempotencyKey = false, ...holderFacts } = holder ?? { kind: 'unknown' };
  const version = subjectVersion(request, key);
  return {
    actionId: actionId(key),
    event,
    command: {
      kind: 'claim',
      key,
      fingerprint: details === null ? null : fingerprint(details),
      details,
      leaseMs: request.leaseSeconds === undefined || request.leaseSeconds === null ? null : request.leaseSeconds * 1000,
      callId: call.id,
      callPosition: call.position,
      holder: holder === undefined || holder === null ? null : holderFacts,
      holderId: holderId(holder),
      sendsIdempotencyKey,
      subjectVersion: version,
      eventAt: event?.occurredAt ?? (version?.kind === 'time' ? version.value : null),
      event: event === null ? null : { source: event.source, id: event.eventId },
    },
  };
}

export function registerCommand(request: RegisterRequest): { command: RegisterCommand; actionId: string } {
  const key = actionKey(request);
  const details = request.details ?? null;
  return {
    actionId: actionId(key),
    command: {
      kind: 'register',
      key,
      fingerprint: details === null ? null : fingerprint(details),
      details,
      dueAt: moment(request.dueAt, 'dueAt'),
    },
  };
}

export function receiptCommand(request: ReceiptRequest): { command: ReceiptCommand; token: ClaimToken } {
  const token = readToken(request.claimToken);
  const references = referenceSet(request.reference, request.references);
  references.forEach((reference) => {
    checkJson(reference, 'reference');
  });
  checkJson(request.evidence, 'evidence');
  return {
    token,
    command: {
      kind: 'receipt',
      attempt: token.attempt,
      outcome: request.outcome,
      references: references.filter((reference) => reference.trim() !== ''),
      evidence: request.evidence ?? null,
      cause: text(request.cause, 'cause'),
      holderId: holderId(request.holder),
    },
  };
}

export function heartbeatCommand(request: { claimToken: string }): { command: HeartbeatCommand; token: ClaimToken } {
  const token = readToken(request.claimToken);
  return { token, command: { kind: 'heartbeat', attempt: token.attempt } };
}

export function releaseCommand(request: { claimToken: string }): { command: ReleaseCommand; token: ClaimToken } {
  const token = readToken(request.claimToken);
  return { token, command: { kind: 'release', claim: { attempt: token.attempt } } };
}

/** For a claim whose answer was lost: the call's own request token and the claim's place in it say which it was. */
export function releaseOfCallCommand(request: KeyRequest & { requestToken: string; position: number }): {
  command: ReleaseCommand;
  actionId: string;
} {
  const key = actionKey(request);
  const claim = { key, callId: callId(request.requestToken), callPosition: request.position };
  return { actionId: actionId(key), command: { kind: 'release', claim } };
}

export function abandonCommand(request: EndedRequest): AbandonCommand {
  checkJson(request.holder, 'holder');
  const id = holderId(request.holder);
  if (id === null) {
    throw new Problem('invalid_request', 'holder.executionId is missing. Nothing was changed.', {
      field: 'holder.executionId',
    });
  }
  return { kind: 'abandon', holderId: id, cause: request.cause ?? 'execution_crashed' };
}

export function reconcileCommand(request: ResolutionRequest, keyName: string): ReconcileCommand {
  const references = referenceSet(request.reference, request.references).filter((one) => one.trim() !== '');
  references.forEach((reference) => {
    checkJson(reference, 'reference');
  });
  checkJson(request.evidence, 'evidence');
  const reason = text(request.reason, 'reason');
  const evidence = request.evidence ?? null;
  if (request.outcome === 'happened' && references.length === 0 && evidence === null && reason === null) {
    throw missing('reference', 'That it happened needs a reference, evidence or a reason.');
  }
  if (request.outcome === 'not_happened' && reason === null) {
    throw missing('reason', 'That it did not happen needs a reason: what was looked up, and where.');
  }
  return {
    kind: 'reconcile',
    outcome: request.outcome,
    fence: { attempt: request.attempt, historySeq: request.historySeq },
    by: text(request.by, 'by') ?? keyName,
    foundBy: request.foundBy ?? 'person',
    references,
    evidence,
    reason,
    owner: text(request.owner, 'owner'),
    nextCheckAt: moment(request.nextCheckAt, 'nextCheckAt'),
  };
}

export function overrideCommand(request: OverrideRequest): OverrideCommand {
  const by = text(request.by, 'by');
  const secondPerson = text(request.secondPerson, 'secondPerson');
  const reason = text(request.reason, 'reason');
  if (by === null) throw missing('by', 'An override needs the person who asks for it.');
  if (secondPerson === null || secondPerson.toLowerCase() === by.toLowerCase()) {
    throw missing('secondPerson', 'An override needs a second person, other than the first.');
  }
  if (reason === null) throw missing('reason', 'An override needs a reason.');
  return {
    kind: 'override',
    fence: { attempt: request.attempt, historySeq: request.historySeq },
    by,
    secondPerson,
    reason,
  };
}

function missing(field: string, why: string): Problem {
  return new Problem('invalid_request', `${why} Nothing was changed.`, { field });
}
