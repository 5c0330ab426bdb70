import { isRecord, itemProblem } from '../shared/ledger-api';
import type { ClaimAnswer, ClaimRequest, Problem } from '../shared/ledger-api';
import { askedKey } from './asked-key';

export type Read = { answer: ClaimAnswer } | { problem: Problem } | { unexpected: string };

/**
 * Takes a claim's result apart. Permission must be spelled out in full: a proceed without its token, keys or lease is
 * not understood, nor is one that contradicts itself or the question, and what is not understood is not allowed.
 */
export function readClaimAnswer(result: unknown, asked: ClaimRequest): Read {
  // Before the problem: a permission beside an error may be held by the ledger, and must be given back.
  if (isRecord(result) && result.decision === 'proceed' && Object.hasOwn(result, 'error')) {
    return { unexpected: 'a proceed that is an error as well' };
  }
  const problem = itemProblem(result);
  if (problem !== undefined) return { problem };
  if (!isRecord(result) || typeof result.decision !== 'string' || typeof result.reason !== 'string') {
    return { unexpected: 'a result without decision and reason' };
  }
  if (result.decision === 'proceed') {
    if (!isCompletePermission(result)) {
      return { unexpected: 'a proceed without claim token, idempotency key, attempt or lease' };
    }
    if (result.state !== 'in_progress') return { unexpected: 'a proceed for an action that is not in progress' };
    if (result.actionKey !== askedKey(asked)) return { unexpected: 'a proceed for another action key than was asked' };
  }
  return { answer: result as unknown as ClaimAnswer };
}

function isCompletePermission(result: Record<string, unknown>): boolean {
  return (
    isText(result.claimToken) &&
    isText(result.idempotencyKey) &&
    isText(result.actionKey) &&
    Number.isInteger(result.attempt) &&
    (result.attempt as number) >= 1 &&
    typeof result.leaseMs === 'number' &&
    result.leaseMs > 0
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
