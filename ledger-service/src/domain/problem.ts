/**
 * A refusal with a stable code: what happened, what was not done, and what to do next. The HTTP layer writes it as an
 * RFC 9457 problem; the code decides the status, so that both always agree.
 */
export const PROBLEM_STATUS = {
  invalid_request: 400,
  invalid_key: 400,
  invalid_details: 400,
  invalid_token: 400,
  subject_version_mixed: 409,
  claim_token_unknown: 404,
  action_unknown: 404,
  not_found: 404,
  not_applicable: 409,
  stale_resolution: 409,
  not_settled: 409,
  policy_conflict: 409,
  invalid_policy: 400,
  unauthorized: 401,
  forbidden: 403,
  method_not_allowed: 405,
  not_acceptable: 406,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  key_collision: 500,
  internal: 500,
  ledger_unavailable: 503,
} as const;

export type ProblemCode = keyof typeof PROBLEM_STATUS;

export interface ProblemFacts {
  /** The field that is wrong, as a path into the request (`claims[3].subject`). */
  field?: string;
  /** What the caller should do next. */
  hint?: string;
  /** Further facts that belong to the code, e.g. both values of a conflicting setting. */
  facts?: Record<string, unknown>;
}

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly field: string | undefined;
  readonly hint: string | undefined;
  readonly facts: Record<string, unknown> | undefined;

  constructor(
    readonly code: ProblemCode,
    message: string,
    { field, hint, facts }: ProblemFacts = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = PROBLEM_STATUS[code];
    this.field = field;
    this.hint = hint;
    this.facts = facts;
  }

  /** The same problem, told of a field further out: `subject` becomes `claims[3].subject`. */
  within(path: string): Problem {
    const field = this.field === undefined ? path : `${path}.${this.field}`;
    return new Problem(this.code, this.message, { field, hint: this.hint, facts: this.facts }, { cause: this.cause });
  }
}
