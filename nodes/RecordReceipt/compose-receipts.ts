import type { Outcome, ReceiptRequest } from '../shared/ledger-api';
import type { Decided } from './decide-outcome';
import { joinEvidence, toCause } from '../shared/evidence';

/** One item's part in the receipt of its claim. */
export interface ItemResult {
  itemIndex: number;
  decided: Decided;
  reference: string;
  evidence: Record<string, unknown> | undefined;
  cause: string;
}

/** All results for one claim, and the one receipt that is made of them. */
export interface ComposedReceipt {
  results: ItemResult[];
  outcome: Outcome;
  reason: string;
  receipt: ReceiptRequest;
}

const MOST_REFERENCES = 100;

/** Several items for one claim (a list answer) are one receipt: all references, the worst outcome. */
export function composeReceipt(
  claimToken: string,
  results: ItemResult[],
  holder: ReceiptRequest['holder'],
): ComposedReceipt {
  const { outcome, reason } = worst(results.map(({ decided }) => decided));
  const references = [...new Set(results.map(({ reference }) => reference).filter((reference) => reference !== ''))];
  const stated = results.find(({ cause }) => cause !== '')?.cause;
  return {
    results,
    outcome,
    reason,
    receipt: {
      claimToken,
      outcome,
      reference: references[0],
      references: references.length > 1 ? references.slice(0, MOST_REFERENCES) : undefined,
      evidence: joinEvidence(results.map(({ evidence }) => evidence)),
      cause: toCause(stated ?? reason),
      holder,
    },
  };
}

/** Failed frees the action for another try, so it needs every item to say so; a part that happened makes it unknown. */
function worst(all: Decided[]): Pick<Decided, 'outcome' | 'reason'> {
  const unknown = all.find(({ outcome }) => outcome === 'unknown');
  if (unknown !== undefined) return unknown;
  const confirmed = all.filter(({ outcome }) => outcome === 'confirmed');
  const failed = all.filter(({ outcome }) => outcome === 'failed');
  if (confirmed.length > 0 && failed.length > 0) {
    return {
      outcome: 'unknown',
      reason: `Of ${all.length} results for this claim ${confirmed.length} happened and ${failed.length} did not: somebody has to look`,
    };
  }
  return all[0] ?? { outcome: 'unknown', reason: 'There was no result' };
}
