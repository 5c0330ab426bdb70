import { jsonParse, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { toEvidence } from '../../shared/evidence';
import { toIsoTime } from '../../shared/iso-time';
import { isRecord } from '../../shared/ledger-api';
import { failureOf, thrownFailure, toErrorItem, toNodeError } from '../../shared/node-errors';
import type { ItemFailure } from '../../shared/node-errors';
import { callLedger, NO_RETRY } from '../../shared/transport';

const NOT_RECORDED = 'The resolution was not recorded.';
const MAY_BE_RECORDED =
  'It is not known whether the resolution was recorded: look the action up before you resolve it again.';
const STALE = 'stale_resolution';

/** Records what was found out about each item's action. There is one call an item: each has its own fence. */
export async function resolve(context: IExecuteFunctions, items: INodeExecutionData[]): Promise<INodeExecutionData[]> {
  const resolved: INodeExecutionData[] = [];
  for (const [itemIndex, item] of items.entries()) {
    const result = await resolveOne(context, item, itemIndex);
    if ('failure' in result) {
      if (!context.continueOnFail()) throw toNodeError(context, result.failure);
      resolved.push(toErrorItem(result.failure));
    } else {
      resolved.push({ json: { ...item.json, resolution: result.resolution }, pairedItem: { item: itemIndex } });
    }
  }
  return resolved;
}

async function resolveOne(
  context: IExecuteFunctions,
  item: INodeExecutionData,
  itemIndex: number,
): Promise<{ resolution: IDataObject } | { failure: ItemFailure }> {
  let actionId: string;
  let body: IDataObject;
  try {
    actionId = readActionId(context, itemIndex);
    body = readResolution(context, item, itemIndex);
  } catch (error) {
    return { failure: thrownFailure(itemIndex, error, NOT_RECORDED) };
  }
  const answer = await callLedger(context, {
    method: 'POST',
    path: `/v1/actions/${encodeURIComponent(actionId)}/resolution`,
    body,
    timeoutMs: 15_000,
    // Sent twice, the second would meet the fence that the first one moved.
    retryPausesMs: NO_RETRY,
  });
  if (answer.ok) {
    const { result, warnings, action } = answer.body;
    return { resolution: { result, warnings: warnings ?? [], action } as IDataObject };
  }
  const { failure } = answer;
  if (failure.code === STALE) {
    // Not an error of the workflow: the action moved on meanwhile, and what was found is kept as evidence.
    return { resolution: { result: STALE, reason: failure.message, changed: failure.description } };
  }
  return { failure: failureOf(itemIndex, failure, failure.sent === 'maybe' ? MAY_BE_RECORDED : NOT_RECORDED) };
}

function readActionId(context: IExecuteFunctions, itemIndex: number): string {
  const actionId: unknown = context.getNodeParameter('actionId', itemIndex, '');
  if (typeof actionId === 'string' && actionId.trim() !== '') return actionId.trim();
  throw new NodeOperationError(context.getNode(), 'The Action ID is empty', {
    itemIndex,
    description: 'Hand on the item that Get Due or Look Up Action gave, or give the ID of the action.',
  });
}

function readResolution(context: IExecuteFunctions, item: INodeExecutionData, itemIndex: number): IDataObject {
  const text = (name: string) => {
    const value: unknown = context.getNodeParameter(name, itemIndex, '');
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const options = context.getNodeParameter('resolveOptions', itemIndex, {}) as IDataObject;
  const outcome = context.getNodeParameter('outcome', itemIndex) as string;
  const foundBy = context.getNodeParameter('foundBy', itemIndex, 'lookup') as string;
  const isUnknown = outcome === 'still_unknown';
  return {
    outcome,
    attempt: readFence(context, item, itemIndex, options, 'attempt'),
    historySeq: readFence(context, item, itemIndex, options, 'historySeq'),
    foundBy,
    reference: outcome === 'happened' ? text('reference') : undefined,
    reason: outcome === 'not_happened' ? text('reason') : isUnknown ? text('note') : undefined,
    by: foundBy === 'person' ? text('by') : undefined,
    evidence: readEvidence(context, itemIndex, options),
    owner: isUnknown && options.owner ? String(options.owner) : undefined,
    nextCheckAt: isUnknown ? readNextCheck(context, itemIndex, options) : undefined,
  };
}

/** The state that the look-up began with. Without it a late finding could overwrite a newer one. */
function readFence(
  context: IExecuteFunctions,
  item: INodeExecutionData,
  itemIndex: number,
  options: IDataObject,
  name: 'attempt' | 'historySeq',
): number {
  const value = options[name] ?? item.json[name];
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw new NodeOperationError(context.getNode(), `The item has no ${name}`, {
    itemIndex,
    description:
      'Resolve sends back the attempt and historySeq that the look-up began with. Keep them in the item from Get Due or Look Up Action, or give them in the options.',
  });
}

function readEvidence(context: IExecuteFunctions, itemIndex: number, options: IDataObject): IDataObject | undefined {
  if (options.evidence === undefined) return undefined;
  const { evidence } = options;
  const parsed: unknown = typeof evidence === 'string' ? jsonParse(evidence, { fallbackValue: undefined }) : evidence;
  if (!isRecord(parsed)) {
    throw new NodeOperationError(context.getNode(), 'The Evidence is not a JSON object', {
      itemIndex,
      description: 'Give an object, for example {{ $json }} of the look-up.',
    });
  }
  return toEvidence(parsed, 'all') as IDataObject | undefined;
}

function readNextCheck(context: IExecuteFunctions, itemIndex: number, options: IDataObject): string | undefined {
  if (options.nextCheckAt === undefined || options.nextCheckAt === '') return undefined;
  const time = toIsoTime(options.nextCheckAt);
  if (time !== undefined) return time;
  throw new NodeOperationError(context.getNode(), 'Next Check At is not a time', {
    itemIndex,
    description: 'Give an ISO time such as 2026-10-20T03:00:00Z.',
  });
}
