import type { INodeExecutionData } from 'n8n-workflow';

import type { ReceiptAnswer } from '../shared/ledger-api';
import type { ComposedReceipt } from './compose-receipts';
import type { Decided } from './decide-outcome';

export const CONFIRMED = 0;
export const FAILED = 1;
export const UNKNOWN = 2;
export const OUTPUTS = 3;

export function emptyOutputs(): INodeExecutionData[][] {
  return Array.from({ length: OUTPUTS }, () => []);
}

/**
 * Where an item goes: by what the ledger made of the receipt. A failed receipt that the ledger did not take as proof (a
 * repeat that was refused, another execution's claim) leaves the action unknown. Positive evidence is never refused.
 */
export function outputFor({ outcome }: ComposedReceipt, { result, state }: ReceiptAnswer): number {
  if (outcome === 'confirmed' && result !== 'not_applicable') return CONFIRMED;
  if (outcome === 'failed' && state === 'failed') return FAILED;
  return UNKNOWN;
}

/** The input item plus `receipt`. */
export function toReceiptItem(
  item: INodeExecutionData,
  { receipt: sent, outcome, reason }: ComposedReceipt,
  decided: Decided,
  answer: ReceiptAnswer,
  itemIndex: number,
): INodeExecutionData {
  const { result, state, late, replayed, contradiction, actionId, actionKey, attempt, historySeq } = answer;
  const receipt = {
    outcome,
    reason,
    cause: decided.cause,
    reference: sent.reference ?? null,
    ...(sent.references === undefined ? {} : { references: sent.references }),
    result,
    ledgerReason: answer.reason ?? null,
    state,
    late,
    replayed,
    contradiction,
    actionId,
    actionKey,
    attempt,
    historySeq,
  };
  return {
    json: { ...item.json, receipt },
    ...(item.binary === undefined ? {} : { binary: item.binary }),
    pairedItem: { item: itemIndex },
  };
}
