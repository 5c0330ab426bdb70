/**
 * The one table that says what an error means. Failed needs positive evidence that the effect did not happen: the
 * request never left, or the destination refused it with a status that means "not executed". Every other shape is
 * unknown. Whether the step may be judged at all (one step, one try, no redirect) is decided in decide-outcome.ts.
 */
import { isRecord } from '../shared/ledger-api';
import type { Outcome } from '../shared/ledger-api';

export interface ErrorVerdict {
  outcome: Outcome;
  /** The HTTP or SMTP status, where the error tells one; the builder's own rules go by it. */
  status: number | null;
  reason: string;
}

/** RFC 9110 and RFC 6585 statuses that are given before anything is executed. */
export const STATUS_NOT_EXECUTED: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 410, 413, 414, 415, 422, 428, 429, 431,
]);

/** Node.js codes of a connection that never stood: no byte of the request was sent. */
export const CODE_NEVER_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** The client refused the server's certificate during the handshake, before it sent the request. */
export const CODE_CERTIFICATE_REFUSED: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What Email Send (nodemailer) says before the message was handed over, or when it was refused. RFC 5321, 4.2.1. */
const MAIL_NOT_SENT: ReadonlyArray<{ text: RegExp; reason: string }> = [
  { text: /^Can't send mail - all recipients were rejected: [45]\d\d\b/, reason: 'all recipients were refused' },
  { text: /^Message failed: 5\d\d\b/, reason: 'the mail server refused the message' },
  { text: /^Mail command failed: [45]\d\d\b/, reason: 'the mail server refused the sender' },
  { text: /^Data command failed: [45]\d\d\b/, reason: 'the mail server refused to take the message' },
  { text: /^Invalid login: [45]\d\d\b/, reason: 'the mail server refused the login' },
  { text: /^Missing credentials for "/, reason: 'there was no login for the mail server' },
  { text: /^No recipients defined$/, reason: 'the message had no recipient' },
  { text: /^connect ECONNREFUSED\b/, reason: 'the connection was refused' },
  { text: /^getaddrinfo (ENOTFOUND|EAI_AGAIN)\b/, reason: 'the host was not found' },
];

/** n8n's own sentence for a status (n8n-workflow, node-api.error): some nodes hand over nothing else. */
const N8N_STATUS_TEXTS: ReadonlyMap<string, number> = new Map([
  ['Bad request - please check your parameters', 400],
  ['Authorization failed - please check your credentials', 401],
  ['Payment required - perhaps check your payment details?', 402],
  ['Forbidden - perhaps check your credentials?', 403],
  ['The resource you are requesting could not be found', 404],
  ['Method not allowed - please check you are using the right HTTP method', 405],
  ['The service is receiving too many requests from you', 429],
  ['The service was not able to process your request', 500],
  ['Bad gateway - the service failed to handle your request', 502],
  [
    'Service unavailable - try again later or consider setting this node to retry automatically (in the node settings)',
    503,
  ],
  ['Gateway timed out - perhaps try again later?', 504],
]);

/** Nodes whose operations send exactly one request an item, so that n8n's sentence is about that request. */
const SENTENCE_IS_ABOUT_THE_ONE_REQUEST = /(^|\.)stripe$/;

const EMAIL_SEND = /(^|\.)emailSend$/;

/**
 * @param error what the step left in `json.error`: an object, or a sentence
 * @param details `json.details`, which HTTP Request 4.5 adds
 * @param stepType the step's node type; a bare sentence means something only from a node that is known
 */
export function classifyError(error: unknown, details: unknown, stepType: string): ErrorVerdict {
  if (typeof error === 'string') return classifySentence(error, stepType);
  if (!isRecord(error)) return unknown(null, 'the error has no shape that is known');

  const statuses = statusesOf(error, details);
  if (statuses.length > 1) return unknown(null, `the error names several statuses (${statuses.join(', ')})`);
  const status = statuses[0];
  if (status !== undefined) return classifyStatus(status);

  const codes = codesOf(error, details);
  if (codes.length > 1) return unknown(null, `the error names several causes (${codes.join(', ')})`);
  return classifyCode(codes[0]);
}

export function classifyStatus(status: number): ErrorVerdict {
  if (STATUS_NOT_EXECUTED.has(status)) {
    return { outcome: 'failed', status, reason: `the destination refused the request with status ${status}` };
  }
  return unknown(status, `status ${status} does not say that nothing was executed`);
}

function classifyCode(code: string | undefined): ErrorVerdict {
  if (code === undefined) return unknown(null, 'the error has neither a status nor a code that is known');
  if (CODE_NEVER_CONNECTED.has(code)) {
    return { outcome: 'failed', status: null, reason: `the request never left (${code})` };
  }
  if (CODE_CERTIFICATE_REFUSED.has(code)) {
    return { outcome: 'failed', status: null, reason: `the certificate was refused before sending (${code})` };
  }
  return unknown(null, `${code} can come after the request was sent`);
}

function classifySentence(sentence: string, stepType: string): ErrorVerdict {
  if (EMAIL_SEND.test(stepType)) {
    const known = MAIL_NOT_SENT.find(({ text }) => text.test(sentence));
    if (known !== undefined) return { outcome: 'failed', status: smtpStatus(sentence), reason: known.reason };
    return unknown(smtpStatus(sentence), 'the mail may have been taken before this error');
  }
  const status = N8N_STATUS_TEXTS.get(sentence);
  if (status === undefined) return unknown(null, 'the error is a sentence whose meaning is not known');
  if (SENTENCE_IS_ABOUT_THE_ONE_REQUEST.test(stepType)) return classifyStatus(status);
  return unknown(status, `the step may have sent more than the request that was answered with status ${status}`);
}

function smtpStatus(sentence: string): number | null {
  const found = /: ([45]\d\d)\b/.exec(sentence);
  return found?.[1] === undefined ? null : Number(found[1]);
}

/** `status` (axios), `httpCode` as text (NodeApiError, details), `statusCode` (other clients): each distinct value. */
function statusesOf(error: Record<string, unknown>, details: unknown): number[] {
  const values = [error.status, error.statusCode, error.httpCode, isRecord(details) ? details.httpCode : undefined];
  return [...new Set(values.map(asStatus).filter((status) => status !== null))];
}

/** A real HTTP status only: `httpCode` may hold a Node.js code as well. */
export function asStatus(value: unknown): number | null {
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : NaN;
  return Number.isInteger(number) && number >= 100 && number <= 599 ? number : null;
}

function codesOf(error: Record<string, unknown>, details: unknown): string[] {
  const cause = isRecord(error.cause) ? error.cause.code : undefined;
  const values = [error.code, error.httpCode, cause, isRecord(details) ? details.httpCode : undefined];
  return [
    ...new Set(values.filter((value): value is string => typeof value === 'string' && /^[A-Z][A-Z0-9_]+$/.test(value))),
  ];
}

function unknown(status: number | null, reason: string): ErrorVerdict {
  return { outcome: 'unknown', status, reason };
}
