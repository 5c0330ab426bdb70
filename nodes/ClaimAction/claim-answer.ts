import { isRecord, itemProblem } from '../shared/ledger-api';
import type { ClaimAnswer, Problem } from '../shared/ledger-api';

export type Read = { answer: ClaimAnswer } | { problem: Problem } | { unexpected: string };

/**
 * Takes a claim's result apart. Permission must be spelled out in full: a proceed without its token, keys or lease is
 * not understood, and what is not understood is not allowed.
 */
export function readClaimAnswer(result: unknown): Read {
  const problem = itemProblem(result);
  if (problem !== undefined) return { problem };
  if (!isRecord(result) || typeof result.decision !== 'string' || typeof result.reason !== 'string') {
    return { unexpected: 'a result without decision and reason' };
  }
  if (result.decision === 'proceed' && !isCompletePermission(result)) {
    return { unexpected: 'a proceed without claim token, idempotency key, attempt or lease' };
  }
  return { answer: result as unknown as ClaimAnswer };
}

function isCompletePermission(result: Record<string, unknown>): boolean {
  return (
    isText(result.claimToken) &&
    isText(result.idempotencyKey) &&
    isText(result.actionKey) &&
    Number.isInteger(result.attempt) &&
    typeof result.leaseMs === 'number' &&
    result.leaseMs > 0
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
