import { type FastifyError, type FastifyReply } from 'fastify';
import { DatabaseError } from 'pg';

import { Problem, PROBLEM_STATUS, type ProblemCode } from '../domain/problem';
import {
  classify,
  NotAcknowledgedError,
  NotConnectedError,
  unavailable,
  UnfitServerError,
} from '../store/database-errors';
import { PROBLEM_KINDS } from './problem-catalogue';
import { problemOfValidation, type SchemaFault } from './validation';

/** RFC 9457, with the members that a client's program can act on. */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail: string;
  field?: string;
  hint?: string;
}

export function problemBody({ code, status, message, field, hint, facts }: Problem): ProblemBody {
  return {
    ...facts,
    type: `urn:action-ledger:problem:${code}`,
    title: PROBLEM_KINDS[code].title,
    status,
    code,
    detail: message,
    ...(field !== undefined && { field }),
    ...(hint !== undefined && { hint }),
  };
}

const RETRY_AFTER_SECONDS: Partial<Record<ProblemCode, number>> = { ledger_unavailable: 1, too_many_requests: 1 };

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const wait = RETRY_AFTER_SECONDS[problem.code];
  if (wait !== undefined) void reply.header('retry-after', String(wait));
  return reply
    .code(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(problemBody(problem));
}

/** Fastify's own refusals, by its error codes. */
const OF_FASTIFY: Record<string, { code: ProblemCode; message: string; field?: string; hint?: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'payload_too_large',
    message: 'The body is larger than 5 MiB. Nothing was read or changed.',
    field: 'body',
    hint: 'Send fewer items in one request.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    message: 'The Content-Type is not application/json. Nothing was read or changed.',
    field: 'Content-Type',
    hint: 'Send the body as JSON with Content-Type: application/json.',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    code: 'invalid_request',
    message: 'The body is empty. Nothing was changed.',
    field: 'body',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_request',
    message: 'The body is not as long as Content-Length says; it was cut off on the way. Nothing was changed.',
    field: 'body',
  },
  FST_ERR_BAD_URL: {
    code: 'invalid_request',
    message: 'The address is not correctly percent-encoded UTF-8. Nothing was done.',
    field: 'path',
  },
};

const BY_STATUS: Record<number, ProblemCode> = {
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
};

type AnyError = Partial<FastifyError> & { validation?: readonly SchemaFault[]; validationContext?: string };

const NO_DECISION = [UnfitServerError, NotAcknowledgedError, NotConnectedError];

/** Whatever was thrown, as the problem that the caller is told. What nobody foresaw is `internal`. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (NO_DECISION.some((kind) => thrown instanceof kind)) return unavailable(thrown);
  const error = thrown as AnyError;
  if (error.validation !== undefined) return problemOfValidation(error.validation, error.validationContext);
  const known = OF_FASTIFY[error.code ?? ''];
  if (known !== undefined) {
    return new Problem(known.code, known.message, { field: known.field, hint: known.hint }, { cause: thrown });
  }
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) {
    const code = BY_STATUS[status] ?? 'invalid_request';
    return new Problem(
      code,
      `${error.message ?? 'The request was refused'}. Nothing was changed.`,
      {},
      { cause: thrown },
    );
  }
  if (isOfDatabase(thrown)) return unavailable(thrown);
  return new Problem(
    'internal',
    'Something unforeseen happened; the log says what. Whether something was recorded is not known.',
    { hint: 'Do not carry out the action. Send the same request again with the same request token.' },
    { cause: thrown },
  );
}

// What the server said, what the network said (ECONNRESET, …), and what the driver says itself, which has no code.
const isOfDatabase = (thrown: unknown): boolean =>
  isError(thrown) &&
  classify(thrown) !== 'statement' &&
  (thrown instanceof DatabaseError ||
    /^E[A-Z]+$/.test((thrown as NodeJS.ErrnoException).code ?? '') ||
    /\b(connection|timeout|pool|client)\b/i.test(thrown.message));

// Not by instanceof: the network's errors come from another realm where the service runs inside a test.
const isError = (thrown: unknown): thrown is Error => typeof (thrown as Error | null)?.message === 'string';

export const isServerFault = (problem: Problem): boolean => PROBLEM_STATUS[problem.code] >= 500;
