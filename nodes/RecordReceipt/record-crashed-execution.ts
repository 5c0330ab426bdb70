import { NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { failureOf, thrownFailure, toErrorItem, toNodeError } from '../shared/node-errors';
import type { ItemFailure } from '../shared/node-errors';
import { callLedger, RECEIPT_PAUSES_MS } from '../shared/transport';
import { emptyOutputs, UNKNOWN } from './route-receipts';

const NOT_RECORDED =
  'The crash was not recorded. The claims of that execution become unknown when their leases are over; nothing repeats them.';

/**
 * For n8n's error workflow: what the crashed execution of this instance still holds becomes unknown at once. There is
 * one call for each execution, and the Error Trigger starts one workflow for each.
 */
export async function recordCrashedExecutions(
  context: IExecuteFunctions,
  items: INodeExecutionData[],
): Promise<INodeExecutionData[][]> {
  const outputs = emptyOutputs();
  for (const [itemIndex, item] of items.entries()) {
    const recorded = await recordOne(context, itemIndex);
    if ('failure' in recorded) {
      if (!context.continueOnFail()) throw toNodeError(context, recorded.failure);
      outputs[UNKNOWN]?.push(toErrorItem(recorded.failure));
    } else {
      outputs[UNKNOWN]?.push({
        json: { ...item.json, crashedExecution: recorded },
        pairedItem: { item: itemIndex },
      });
    }
  }
  return outputs;
}

type Recorded = { executionId: string; workflowId: string; abandoned: object[] };

async function recordOne(context: IExecuteFunctions, itemIndex: number): Promise<Recorded | { failure: ItemFailure }> {
  let executionId: string;
  let workflowId: string;
  try {
    executionId = readId(context, 'crashedExecutionId', 'Execution ID', itemIndex);
    workflowId = readId(context, 'crashedWorkflowId', 'Workflow ID', itemIndex);
  } catch (error) {
    return { failure: thrownFailure(itemIndex, error, NOT_RECORDED) };
  }
  const answer = await callLedger(context, {
    method: 'POST',
    path: '/v1/executions/ended',
    body: {
      holder: { kind: 'n8n', instanceId: context.getInstanceId(), workflowId, executionId },
      cause: 'execution_crashed',
    },
    timeoutMs: 15_000,
    retryPausesMs: RECEIPT_PAUSES_MS,
  });
  if (!answer.ok) return { failure: failureOf(itemIndex, answer.failure, NOT_RECORDED) };
  const { abandoned } = answer.body;
  return { executionId, workflowId, abandoned: Array.isArray(abandoned) ? abandoned : [] };
}

function readId(context: IExecuteFunctions, parameter: string, name: string, itemIndex: number): string {
  const value: unknown = context.getNodeParameter(parameter, itemIndex, '');
  const id = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  if (id !== '') return id;
  throw new NodeOperationError(context.getNode(), `The ${name} is empty`, {
    itemIndex,
    description:
      'An Error Trigger gives it for executions that crashed. A workflow that could not be started at all has none, and holds no claims.',
  });
}
