import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isRecord } from '../../shared/ledger-api';
import { failureOf, toNodeError } from '../../shared/node-errors';
import { callLedger, NO_RETRY } from '../../shared/transport';

const NOTHING_TAKEN = 'No action was taken to look up.';

/**
 * Takes unknown actions that are due, once for all input items: several items do not mean several reconcilers. Not
 * repeated when the answer is lost: what was taken then comes back when its time is over.
 */
export async function getDue(context: IExecuteFunctions, items: INodeExecutionData[]): Promise<INodeExecutionData[]> {
  const operation = context.getNodeParameter('operationName', 0, '', { extractValue: true });
  const { leaseSeconds } = context.getNodeParameter('dueOptions', 0, {}) as IDataObject;
  const answer = await callLedger(context, {
    method: 'POST',
    path: '/v1/reconciliations/lease',
    body: {
      limit: context.getNodeParameter('limit', 0, 50),
      operation: typeof operation === 'string' && operation !== '' ? operation : undefined,
      leaseSeconds,
    },
    timeoutMs: 20_000,
    retryPausesMs: NO_RETRY,
  });
  if (!answer.ok) throw toNodeError(context, failureOf(0, answer.failure, NOTHING_TAKEN));

  const { actions } = answer.body;
  const pairedItem = items.map((_, item) => ({ item }));
  return (Array.isArray(actions) ? actions.filter(isRecord) : []).map((action) => ({
    json: action as IDataObject,
    pairedItem,
  }));
}
