import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { readHolder } from '../shared/claim-holder';
import { ClaimLineage } from '../shared/claim-lineage';
import type { FoundClaim } from '../shared/claim-lineage';
import { thrownFailure, toErrorItem, toNodeError } from '../shared/node-errors';
import type { ItemFailure } from '../shared/node-errors';
import { readSource } from '../shared/workflow-path';
import { composeReceipt } from './compose-receipts';
import type { ComposedReceipt, ItemResult } from './compose-receipts';
import { decideOutcome } from './decide-outcome';
import type { Decided, ResultFacts } from './decide-outcome';
import { toEvidence } from '../shared/evidence';
import { proposeReference } from './reference';
import { readFacts } from './read-facts';
import { readReceiptSettings } from './receipt-settings';
import type { ReceiptSettings } from './receipt-settings';
import { emptyOutputs, outputFor, toReceiptItem, UNKNOWN } from './route-receipts';
import { sendReceipts } from './send-receipts';

const NOT_RECORDED = 'No receipt was recorded for this item.';

/** Records one receipt per claim for the items that came in, and hands each item on with its receipt. */
export async function recordItems(
  context: IExecuteFunctions,
  items: INodeExecutionData[],
): Promise<INodeExecutionData[][]> {
  const { receipts, failures } = collectReceipts(context, items);
  const sent = await sendReceipts(context, receipts);
  failures.push(...sent.failures);

  // What could be recorded is recorded before the node stops: a receipt that is known must not be lost.
  if (!context.continueOnFail() && failures[0] !== undefined) throw toNodeError(context, failures[0]);

  const outputs = emptyOutputs();
  for (const { receipt, answer } of sent.recorded) {
    for (const { itemIndex, decided } of receipt.results) {
      const item = items[itemIndex];
      if (item !== undefined) {
        outputs[outputFor(receipt, answer)]?.push(toReceiptItem(item, receipt, decided, answer, itemIndex));
      }
    }
  }
  outputs[UNKNOWN]?.push(...failures.map(toErrorItem));
  return outputs;
}

function collectReceipts(
  context: IExecuteFunctions,
  items: INodeExecutionData[],
): { receipts: ComposedReceipt[]; failures: ItemFailure[] } {
  const source = readSource(context);
  const lineage = new ClaimLineage(context, items, source);
  const failures: ItemFailure[] = [];
  const byToken = new Map<string, { results: ItemResult[]; isTraced: boolean }>();
  const shared = context.getNodeParameter('options.oneResultForSeveralClaims', 0, false) === true;

  for (const [itemIndex, item] of items.entries()) {
    try {
      const settings = readReceiptSettings(context, itemIndex);
      const claims = claimsOf(lineage, itemIndex, settings, shared);
      if ('problem' in claims) {
        failures.push({ itemIndex, status: null, ...claims.problem });
        continue;
      }
      for (const claim of claims.found) {
        const facts = readFacts(context, item, itemIndex, claim, settings, source);
        const known = byToken.get(claim.claimToken) ?? { results: [], isTraced: settings.claim === 'automatic' };
        known.results.push(toResult(item, itemIndex, settings, facts));
        byToken.set(claim.claimToken, known);
      }
    } catch (error) {
      failures.push(thrownFailure(itemIndex, error, NOT_RECORDED));
    }
  }
  const holder = readHolder(context);
  const receipts = [...byToken].map(([token, { results, isTraced }]) =>
    // A token that was handed over may rightly be used by another execution; one that was traced should be this one's.
    composeReceipt(token, results, isTraced ? holder : undefined),
  );
  return { receipts, failures };
}

interface Claim {
  claimToken: string;
  found: FoundClaim | undefined;
}

function claimsOf(
  lineage: ClaimLineage,
  itemIndex: number,
  settings: ReceiptSettings,
  shared: boolean,
): { found: Claim[] } | Extract<ReturnType<ClaimLineage['find']>, { problem: unknown }> {
  if (settings.claim === 'automatic' && shared) {
    const all = lineage.findAll();
    if ('problem' in all) return all;
    return { found: all.claims.map((found) => ({ claimToken: found.claimToken, found })) };
  }
  const traced = lineage.find(itemIndex);
  if (settings.claim === 'token') {
    const isSame = 'claim' in traced && traced.claim.claimToken === settings.claimToken;
    return { found: [{ claimToken: settings.claimToken, found: isSame ? traced.claim : undefined }] };
  }
  return 'problem' in traced ? traced : { found: [{ claimToken: traced.claim.claimToken, found: traced.claim }] };
}

function toResult(
  item: INodeExecutionData,
  itemIndex: number,
  settings: ReceiptSettings,
  facts: ResultFacts,
): ItemResult {
  const decided = settings.outcome === 'decide' ? decideOutcome(facts) : chosen(settings.outcome, facts);
  const proposed = decided.outcome === 'failed' ? '' : proposeReference(item.json, facts.claimValues);
  return {
    itemIndex,
    decided,
    reference: settings.reference === '' ? proposed : settings.reference,
    evidence: settings.evidenceFields === 'none' ? undefined : toEvidence(item.json, settings.evidenceFields),
    cause: settings.cause === '' && decided.cause === 'pinned_data' ? 'pinned_data' : settings.cause,
  };
}

/** The builder's word counts, but not for a step that was pinned: it was not executed. */
function chosen(outcome: Decided['outcome'], facts: ResultFacts): Decided {
  if (facts.pinned) return decideOutcome(facts);
  return { outcome, reason: `The builder chose ${outcome} for this branch`, cause: 'chosen' };
}
