import { DatabaseError } from 'pg';

import { Problem } from '../domain/problem';

/** The server did not confirm that what it wrote is durable (a cancelled wait for a synchronous standby, for one). */
export class NotAcknowledgedError extends Error {
  override readonly name = 'NotAcknowledgedError';
}

/** This server must not decide: it is read-only, or its settings lose what it acknowledged. */
export class UnfitServerError extends Error {
  override readonly name = 'UnfitServerError';
}

/** No connection could be had, whatever the reason; nothing was sent. */
export class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';
}

// PostgreSQL manual, appendix A. The statement was rolled back whole, and the same statement may succeed now.
const TRY_AGAIN = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available: our lock_timeout
  '57014', // query_canceled: by an operator or a time-out
  '26000', // invalid_sql_statement_name: prepared on another server, behind a pooler
  '42P05', // duplicate_prepared_statement: likewise
  '0A000', // feature_not_supported: *cached plan must not change result type*, after a migration
]);

// Classes of troubles of the server, which are no fault of the statement: 53 resources (disk full, out of memory), 58
// system errors (I/O).
const SERVER_TROUBLE = new Set(['53', '58']);

// The server or the way to it went away; what became of a statement under way is not known. 08 connection, 57 operator
// intervention (shutdown, crash), XX internal error.
const GONE_CLASS = new Set(['08', '57', 'XX']);
// The connection went, too: 25006 read_only_sql_transaction, a primary that became a standby; 25P03 and 25P04, the
// server's patience with an idle or long transaction.
const GONE = new Set(['25006', '25P03', '25P04']);

/** A pooler handed this statement to a server that does not know it, or knows it already. */
export const isForeignPreparation = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code === '26000' || error.code === '42P05');

/** A statement was not answered in time, as `pg` says it. */
export const isSilence = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

export type Failure = 'try_again' | 'gone' | 'statement';

/**
 * What an error says about trying again: `try_again` (rolled back, may succeed), `gone` (connection or server lost; the
 * outcome may be unknown), `statement` (this statement will fail again).
 */
export function classify(error: unknown): Failure {
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    if (TRY_AGAIN.has(code) || SERVER_TROUBLE.has(code.slice(0, 2))) return 'try_again';
    if (GONE.has(code) || GONE_CLASS.has(code.slice(0, 2))) return 'gone';
    return 'statement';
  }
  return 'gone';
}

/** A connection is kept only after an error that the server itself reported about the statement. */
export const connectionSurvives = (error: unknown): boolean =>
  error instanceof DatabaseError && classify(error) !== 'gone' && error.severity === 'ERROR';

export function unavailable(cause: unknown): Problem {
  return new Problem(
    'ledger_unavailable',
    'The ledger could not decide: its database did not answer or did not confirm. Whether something was recorded is not known.',
    { hint: 'Do not carry out the action. Send the same request again with the same request token.' },
    { cause },
  );
}
