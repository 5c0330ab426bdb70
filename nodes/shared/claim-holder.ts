import type { IExecuteFunctions } from 'n8n-workflow';

import type { Holder } from './ledger-api';

/**
 * Who asks. Execution IDs repeat across n8n instances, so the instance belongs to it. None of it is part of the action
 * key: a Retry is another execution of the same intended effect.
 */
export function readHolder(context: IExecuteFunctions): Holder {
  const workflow = context.getWorkflow();
  return {
    kind: 'n8n',
    instanceId: context.getInstanceId(),
    workflowId: workflow.id,
    executionId: context.getExecutionId(),
    mode: context.getMode(),
    node: context.getNode().name,
  };
}
