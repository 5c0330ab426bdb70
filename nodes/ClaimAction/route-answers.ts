import type { INodeExecutionData } from 'n8n-workflow';

import type { ClaimAnswer } from '../shared/ledger-api';

export const PROCEED = 0;
export const ALREADY_DONE = 1;
export const HOLD = 2;
export const OUTPUTS = 3;

/** The answer arrived when half of the lease was over: the step could still be running when the lease ends. */
export function lateAnswer(answer: ClaimAnswer, ageMs: number): ClaimAnswer {
  return {
    ...answer,
    decision: 'late_answer',
    reason: `The ledger's answer took ${Math.round(ageMs / 1_000)} s, more than half of the lease. The claim was given back and nothing was executed.`,
    state: null,
    claimToken: null,
    idempotencyKey: null,
    leaseExpiresAt: null,
    leaseMs: null,
  };
}

export function outputOf(answer: ClaimAnswer): number {
  if (answer.decision === 'proceed') return PROCEED;
  return answer.decision === 'already_done' ? ALREADY_DONE : HOLD;
}

/** The input item plus `claim`. */
export function toItem(item: INodeExecutionData, itemIndex: number, answer: ClaimAnswer): INodeExecutionData {
  return {
    json: { ...item.json, claim: { ...answer, reason: reasonOf(answer) } },
    ...(item.binary === undefined ? {} : { binary: item.binary }),
    pairedItem: { item: itemIndex },
  };
}

/** A test run acts for real, so its receipt counts; the person who is held by it must be able to see why. */
function reasonOf({ decision, reason, receipt }: ClaimAnswer): string {
  if (decision !== 'already_done' || receipt?.testRun !== true || /test run/i.test(reason)) return reason;
  return `${reason} It was done by your test run at ${receipt.recordedAt}.`;
}
