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

// PostgreSQL manual, appendix A. The statement was rolled back whole, and the same statement may succeed now.
const TRY_AGAIN = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available: our lock_timeout
  '26000', // invalid_sql_statement_name: prepared on another server, behind a pooler
  '42P05', // duplicate_prepared_statement: likewise
  '0A000', // feature_not_supported: *cached plan must not change result type*, after a migration
]);

/** A pooler handed this statement to a server that does not know it, or knows it already. */
export const isForeignPreparation = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code === '26000' || error.code === '42P05');

// The server or the way to it went away. What became of a statement under way is not known.
const GONE = new Set([
  '25006', // read_only_sql_transaction: a primary that became a standby
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '53300', // too_many_connections
]);

export type Failure = 'try_again' | 'gone' | 'statement';

/**
 * What an error says about trying again: `try_again` (rolled back, may succeed), `gone` (connection or server lost; the
 * outcome may be unknown), `statement` (this statement will fail again).
 */
export function classify(error: unknown): Failure {
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    if (TRY_AGAIN.has(code)) return 'try_again';
    if (GONE.has(code) || code.startsWith('08')) return 'gone';
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
