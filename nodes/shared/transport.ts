import { sleep } from 'n8n-workflow';
import type {
  IAllExecuteFunctions,
  IDataObject,
  IExecuteFunctions,
  IHttpRequestMethods,
  ILoadOptionsFunctions,
} from 'n8n-workflow';

import { isRecord, toProblem } from './ledger-api';
import type { Problem } from './ledger-api';

/** The node contexts that may talk to the ledger. */
export type LedgerCaller = IExecuteFunctions | ILoadOptionsFunctions;

export const CREDENTIAL = 'actionLedgerApi';

export interface LedgerCall {
  method: IHttpRequestMethods;
  path: string;
  body?: object;
  query?: IDataObject;
  /** How long to wait for one answer, in milliseconds. */
  timeoutMs: number;
  /** Pauses before each further try, in milliseconds. Only for calls that the ledger answers the same way twice. */
  retryPausesMs: readonly number[];
  /** n8n cancels the requests of an execution that was stopped; giving claims back must get through all the same. */
  evenWhenStopped?: boolean;
}

/**
 * Why there is no usable answer. `sent` tells whether the ledger may have acted on the call:
 * `no` (it never left, or it was refused as a whole) or `maybe`.
 */
export interface LedgerFailure {
  kind: 'unreachable' | 'problem' | 'wrong_ledger' | 'unexpected_answer' | 'credential';
  code: string;
  message: string;
  description: string;
  status: number | null;
  sent: 'no' | 'maybe';
}

export type LedgerAnswer =
  { ok: true; body: Record<string, unknown>; ledgerId: string } | { ok: false; failure: LedgerFailure };

/** Claims are asked for again only for a moment: an answer that comes late is worth nothing. */
export const CLAIM_PAUSES_MS = [200, 800] as const;
/** Receipts are worth waiting for: the ledger keeps the first and answers the same to the others. */
export const RECEIPT_PAUSES_MS = [250, 500, 1_000, 2_000, 4_000] as const;
export const NO_RETRY = [] as const;

const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);
const LONGEST_PAUSE_MS = 5_000;
/** Visible ASCII; blanks around it are lost on the way and do no harm. */
const SENDABLE_KEY = /^ *[\x21-\x7e]* *$/;
const NEVER_SENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/;

/**
 * The only place where the nodes speak HTTP. It never throws: what is not a 2xx answer of the right ledger, in the
 * right shape, comes back as a failure, so that no caller can mistake it for permission.
 */
export async function callLedger(caller: LedgerCaller, call: LedgerCall): Promise<LedgerAnswer> {
  const settings = await readSettings(caller);
  if ('failure' in settings) return { ok: false, failure: settings.failure };

  let sent: LedgerFailure['sent'] = 'no';
  for (let tries = 0; ; tries += 1) {
    const { answer, retryAfterMs } = await tryOnce(caller, call, settings);
    if (answer.ok) return answer;
    // An earlier try may have arrived although the last one was refused.
    if (answer.failure.sent === 'maybe') sent = 'maybe';
    const pause = call.retryPausesMs[tries];
    if (pause === undefined || !mayPass(answer.failure)) return { ok: false, failure: { ...answer.failure, sent } };
    await sleep(Math.min(Math.max(pause, retryAfterMs ?? 0), LONGEST_PAUSE_MS));
  }
}

interface Settings {
  baseUrl: string;
  ledgerId: string;
}

async function readSettings(caller: LedgerCaller): Promise<Settings | { failure: LedgerFailure }> {
  let credential: Record<string, unknown>;
  try {
    credential = await caller.getCredentials(CREDENTIAL);
  } catch (error) {
    return { failure: credentialFailure(`The Action Ledger credential cannot be read: ${messageOf(error)}`) };
  }
  const baseUrl = String(credential.baseUrl ?? '')
    .trim()
    .replace(/\/+$/, '');
  if (!/^https?:\/\/[^/\s]+/i.test(baseUrl)) {
    return { failure: credentialFailure('The Base URL of the Action Ledger credential is not an http(s) address') };
  }
  // The HTTP client would refuse it with every call, and it would look as if the ledger could not be reached.
  if (!SENDABLE_KEY.test(String(credential.apiKey ?? ''))) {
    return {
      failure: credentialFailure(
        'The API key of the Action Ledger credential cannot be used: it holds a blank, a line break or a character that is not ASCII',
      ),
    };
  }
  return { baseUrl, ledgerId: String(credential.ledgerId ?? '').trim() };
}

function credentialFailure(message: string): LedgerFailure {
  return {
    kind: 'credential',
    code: 'credential_unusable',
    message,
    description: 'Nothing was sent to the ledger. Open the credential of this node, correct it and test it.',
    status: null,
    sent: 'no',
  };
}

async function tryOnce(
  caller: LedgerCaller,
  call: LedgerCall,
  settings: Settings,
): Promise<{ answer: LedgerAnswer; retryAfterMs?: number }> {
  let response: unknown;
  try {
    const sender = call.evenWhenStopped === true ? withoutCancelSignal(caller) : caller;
    response = await caller.helpers.httpRequestWithAuthentication.call(sender, CREDENTIAL, {
      method: call.method,
      url: `${settings.baseUrl}${call.path}`,
      body: call.body,
      qs: call.query,
      headers: { Accept: 'application/json, application/problem+json' },
      json: true,
      timeout: call.timeoutMs,
      // A redirect would send the key and the claim somewhere else; a 3xx is then an answer that is not understood.
      disableFollowRedirect: true,
      ignoreHttpStatusErrors: true,
      returnFullResponse: true,
    });
  } catch (error) {
    return { answer: { ok: false, failure: unreachable(error, settings.baseUrl) } };
  }
  return judge(response, settings);
}

/** The request helper ties a request to the execution's cancel signal only where the caller has one. */
function withoutCancelSignal(caller: LedgerCaller): IAllExecuteFunctions {
  return {
    helpers: caller.helpers,
    logger: caller.logger,
    getNode: () => caller.getNode(),
    getCredentials: async (type: string) => await caller.getCredentials(type),
  } as unknown as IAllExecuteFunctions;
}

function judge(response: unknown, settings: Settings): { answer: LedgerAnswer; retryAfterMs?: number } {
  if (!isRecord(response) || typeof response.statusCode !== 'number') {
    return { answer: unexpected('no status', null) };
  }
  const { statusCode, body } = response;
  const headers = isRecord(response.headers) ? response.headers : {};

  if (statusCode < 200 || statusCode > 299) {
    const retryAfter = Number(headers['retry-after']);
    return {
      answer: { ok: false, failure: refusal(statusCode, body) },
      retryAfterMs: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter * 1_000 : undefined,
    };
  }
  if (!isRecord(body)) return { answer: unexpected(`status ${statusCode} without a JSON object`, statusCode) };

  const header = typeof headers['x-ledger-id'] === 'string' ? headers['x-ledger-id'] : '';
  const ledgerId = typeof body.ledgerId === 'string' && body.ledgerId !== '' ? body.ledgerId : header;
  if (ledgerId === '') return { answer: unexpected(`status ${statusCode} without a ledger ID`, statusCode) };
  if (settings.ledgerId !== '' && settings.ledgerId !== ledgerId) {
    return { answer: { ok: false, failure: wrongLedger(settings.ledgerId, ledgerId) } };
  }
  return { answer: { ok: true, body, ledgerId } };
}

function refusal(statusCode: number, body: unknown): LedgerFailure {
  const problem: Problem = toProblem(isRecord(body) ? body : {}, statusCode);
  const isProblem = isRecord(body) && typeof body.code === 'string';
  return {
    kind: 'problem',
    code: isProblem ? problem.code : `http_${statusCode}`,
    message: isProblem ? problem.title : `The ledger answered with status ${statusCode}`,
    description: describeProblem(problem),
    status: statusCode,
    sent: statusCode >= 400 && statusCode < 500 && statusCode !== 408 ? 'no' : 'maybe',
  };
}

/** The service's own words: what was wrong, in which field, and what to do next. */
export function describeProblem(problem: Problem): string {
  return [problem.detail, problem.field === null ? null : `Field: ${problem.field}.`, problem.hint]
    .filter((part) => part !== null)
    .join(' ');
}

function wrongLedger(expected: string, found: string): LedgerFailure {
  return {
    kind: 'wrong_ledger',
    code: 'wrong_ledger',
    message: 'Another ledger answered than the one this credential is set to',
    description: `Expected ledger ${expected}, but ${found} answered. Another ledger does not know what was already done. Correct the Base URL, or the Ledger ID if the ledger was replaced on purpose.`,
    status: null,
    sent: 'maybe',
  };
}

function unexpected(what: string, status: number | null): LedgerAnswer {
  return {
    ok: false,
    failure: {
      kind: 'unexpected_answer',
      code: 'unexpected_answer',
      message: 'The address in the credential does not answer like an Action Ledger',
      description: `It answered with ${what}. Check the Base URL: a proxy or another service may be answering there.`,
      status,
      sent: 'maybe',
    },
  };
}

function unreachable(error: unknown, baseUrl: string): LedgerFailure {
  const codes = errorCodes(error);
  const neverSent = codes.some((code) => NEVER_SENT.test(code));
  return {
    kind: 'unreachable',
    code: 'ledger_unreachable',
    message: 'The Action Ledger cannot be reached',
    description: `${baseUrl} gave no answer (${messageOf(error)}). Check that the service is running and that n8n can reach it.`,
    status: null,
    sent: neverSent ? 'no' : 'maybe',
  };
}

/** n8n wraps what the HTTP client threw; the code is on the error or on one of its causes. */
function errorCodes(error: unknown): string[] {
  const codes: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 4 && isRecord(current); depth += 1) {
    for (const value of [current.code, current.httpCode]) if (typeof value === 'string') codes.push(value);
    current = current.cause;
  }
  return codes;
}

export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return isRecord(error) && typeof error.message === 'string' ? error.message : String(error);
}

function mayPass(failure: LedgerFailure): boolean {
  if (failure.kind === 'unreachable') return true;
  return failure.kind === 'problem' && failure.status !== null && PASSING_STATUSES.has(failure.status);
}

/** The results of a batch call, only if there is exactly one per item that was sent. */
export function batchResults(answer: { body: Record<string, unknown> }, sent: number): unknown[] | undefined {
  const { results } = answer.body;
  return Array.isArray(results) && results.length === sent ? results : undefined;
}

export function incompleteAnswer(sent: number): LedgerFailure {
  return {
    kind: 'unexpected_answer',
    code: 'unexpected_answer',
    message: 'The ledger did not answer every item',
    description: `${sent} items were sent and the answer does not hold ${sent} results. Check that the service has a version that fits these nodes.`,
    status: null,
    sent: 'maybe',
  };
}
