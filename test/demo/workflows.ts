import { readFileSync } from 'node:fs';
import path from 'node:path';

import { connect, type WorkflowDefinition } from '@action-ledger/test-nodes';

const templates = path.resolve(__dirname, '../../workflows');

type Node = WorkflowDefinition['nodes'][number];

export const guard = (name: string, type: string, parameters: object): Node => ({
  name,
  type: `n8n-nodes-action-ledger.${type}`,
  parameters: parameters as Node['parameters'],
});

const operation = (value: string) => ({ __rl: true, mode: 'name', value });

/** A workflow of `workflows/`, after what a user does with it: credential chosen, own booking system's address put in. */
export function template(name: string, bookingUrl: string): WorkflowDefinition {
  const text = readFileSync(path.join(templates, `${name}.json`), 'utf8');
  const { nodes, connections, settings } = JSON.parse(
    text.replaceAll('https://booking.example.com', bookingUrl),
  ) as WorkflowDefinition;
  // A trigger that comes first is where the demo starts; notes are for the reader of the editor.
  return {
    nodes: nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote'),
    connections,
    settings,
  };
}

/** Sets one option of one node, as a builder would in the node's panel. */
export function setOption(
  workflow: WorkflowDefinition,
  node: string,
  name: string,
  value: unknown,
): WorkflowDefinition {
  const found = workflow.nodes.find((candidate) => candidate.name === node);
  if (found === undefined) return workflow;
  const { options } = (found.parameters ??= {}) as { options?: object };
  found.parameters = { ...found.parameters, options: { ...options, [name]: value } } as Node['parameters'];
  return workflow;
}

/** The shop's other workflow: an order is cancelled. It shares the stream of versions with the booking. */
export function cancellation(): WorkflowDefinition {
  return {
    nodes: [
      { name: 'Cancellation Event', type: 'n8n-nodes-base.webhook' },
      guard('Claim Cancellation', 'claimAction', {
        operationName: operation('cancel-order'),
        businessId: '={{ $json.body.orderId }}',
        options: { subjectVersion: { values: { by: 'time', time: '={{ $json.body.occurredAt }}', stream: 'order' } } },
      }),
      { name: 'Cancel Order', type: 'demo.cancelOrder', onError: 'continueErrorOutput' },
      guard('Cancellation Receipt', 'recordReceipt', {}),
    ],
    connections: connect({
      'Cancellation Event': [['Claim Cancellation']],
      'Claim Cancellation': [['Cancel Order']],
      'Cancel Order': [['Cancellation Receipt'], ['Cancellation Receipt']],
    }),
  };
}

/** What a support person runs by hand who has found the mail in the provider's log. */
export function resolveByPerson(reference: string, evidence: object): WorkflowDefinition {
  return {
    nodes: [
      { name: 'By Hand', type: 'n8n-nodes-base.manualTrigger' },
      guard('Look Up', 'lookUpAction', { by: 'key', key: '={{ $json.key }}' }),
      guard('It Happened', 'reconcileUnknown', {
        operation: 'resolve',
        outcome: 'happened',
        reference,
        foundBy: 'person',
        by: 'support@example.com',
        resolveOptions: { evidence: JSON.stringify(evidence) },
      }),
    ],
    connections: connect({ 'By Hand': [['Look Up']], 'Look Up': [['It Happened']] }),
  };
}
