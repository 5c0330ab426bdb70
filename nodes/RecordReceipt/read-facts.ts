import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { FoundClaim } from '../shared/claim-lineage';
import { isRecord } from '../shared/ledger-api';
import { countResultsOfSameInput, readStepInternals, sendsIdempotencyKey } from '../shared/n8n-internals';
import type { SourceOfItems } from '../shared/workflow-path';
import type { ResultFacts } from './decide-outcome';
import { neverErrors, passesItemsOn, theOneStep } from './guarded-step';
import { sameJson, valuesOf } from './item-values';
import type { ReceiptSettings } from './receipt-settings';

/** Gathers what is known about one item before its outcome is decided. */
export function readFacts(
  context: IExecuteFunctions,
  item: INodeExecutionData,
  itemIndex: number,
  claim: { claimToken: string; found: FoundClaim | undefined },
  settings: ReceiptSettings,
  source: SourceOfItems | undefined,
): ResultFacts {
  const between = claim.found?.between ?? [];
  const runOf = (name: string) => (name === source?.node ? source.run : undefined);
  const internals = between.map(({ name }) => readStepInternals(context, name, runOf(name)));
  const claimNode = claim.found?.claimNode;
  return {
    json: item.json,
    claimToken: claim.claimToken,
    claimItem: claim.found?.claimItem,
    claimValues: valuesOf(claim.found?.claimItem),
    step: theOneStep(context, between, source),
    stepsBetween: between.length,
    stepsWithThisItem: countStepsWithThisItem(context, item, itemIndex, claim.found),
    resultsOfSameInput: source === undefined ? undefined : countResultsOfSameInput(context, source, itemIndex),
    // A pinned Claim Action asked nobody: its token is an old one.
    pinned:
      internals.some(({ pinned }) => pinned) ||
      (claimNode !== undefined && readStepInternals(context, claimNode, undefined).pinned),
    runFailed: internals.some(({ runFailed }) => runFailed),
    mayHaveRepeated:
      internals.some(({ mayHaveRepeated }) => mayHaveRepeated) &&
      !(claimNode !== undefined && sendsIdempotencyKey(context, claimNode)),
    neverErrors: between.some(neverErrors),
    reference: settings.reference,
    overrides: settings.statusRules,
    statedOnce: settings.stepTriesOnce,
  };
}

/** A step that throws while it continues on errors leaves its input as its output: two steps then hold one item. */
function countStepsWithThisItem(
  context: IExecuteFunctions,
  item: INodeExecutionData,
  itemIndex: number,
  found: FoundClaim | undefined,
): number {
  const steps = (found?.between ?? []).filter((node) => !passesItemsOn(node));
  if (steps.length < 2) return steps.length;
  return steps.filter(({ name }) => {
    try {
      const paired: unknown = context.getWorkflowDataProxy(itemIndex).$(name).item;
      return isRecord(paired) && sameJson(paired.json, item.json);
    } catch {
      // No item of that step is paired with this one.
      return false;
    }
  }).length;
}
