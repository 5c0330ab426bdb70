import { randomUUID } from 'node:crypto';

import type { SavedWorkflow, WorkflowFile, WorkflowNode } from '../stack/n8n-session';

/** `['Claim', 0, 'Book']`: the first output of Claim leads to Book. */
export type Wire = [from: string, output: number, to: string];

type NodeDraft = Omit<WorkflowNode, 'position' | 'id'>;

export function workflow(
  name: string,
  nodes: NodeDraft[],
  wires: Wire[],
  settings: Record<string, unknown> = {},
): WorkflowFile {
  const connections: WorkflowFile['connections'] = {};
  for (const [from, output, to] of wires) {
    const outputs = (connections[from] ??= { main: [] }).main;
    while (outputs.length <= output) outputs.push([]);
    outputs[output]?.push({ node: to, type: 'main', index: 0 });
  }
  return {
    name,
    nodes: nodes.map((node, index) => ({ ...node, id: randomUUID(), position: [index * 220, 0] })),
    connections,
    settings: { executionOrder: 'v1', saveExecutionProgress: false, ...settings },
  };
}

/** Wires each node's first output to the next node. */
export function chain(...names: string[]): Wire[] {
  return names.slice(1).map((name, index) => [names[index] as string, 0, name]);
}

export async function publish(file: WorkflowFile): Promise<SavedWorkflow> {
  const saved = await stack.editor.createWorkflow(file);
  await stack.editor.publish(saved.id);
  return saved;
}

/** A webhook that answers when the workflow has ended; the path is the test's own. */
export function webhook(path: string): NodeDraft {
  return {
    name: 'Event',
    type: 'n8n-nodes-base.webhook',
    typeVersion: 2.1,
    webhookId: randomUUID(),
    parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} },
  };
}

export function manualTrigger(): NodeDraft {
  return { name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
}

export function code(name: string, jsCode: string): NodeDraft {
  return { name, type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } };
}

/** The booking request, as the workshop template makes it: tries once, follows no redirects. */
export function bookSeat(changes: Partial<NodeDraft> = {}, options: Record<string, unknown> = {}): NodeDraft {
  return {
    name: 'Book Seat',
    type: 'n8n-nodes-base.httpRequest',
    typeVersion: 4.5,
    parameters: {
      method: 'POST',
      url: `${stack.booking.url}/bookings`,
      sendBody: true,
      specifyBody: 'json',
      jsonBody: '={{ JSON.stringify({ orderId: $json.orderId ?? $json.body.orderId }) }}',
      options: { timeout: 2_000, redirect: { redirect: { followRedirects: false } }, ...options },
    },
    onError: 'continueErrorOutput',
    ...changes,
  };
}

interface ClaimDraft {
  name?: string;
  operation: string;
  businessId?: string;
  options?: Record<string, unknown>;
  onError?: WorkflowNode['onError'];
}

/** Claim Action as a builder fills it in: two fields. */
export function claimAction({ name = 'Claim', operation, businessId, options = {}, onError }: ClaimDraft): NodeDraft {
  return {
    name,
    type: 'n8n-nodes-action-ledger.claimAction',
    typeVersion: 1,
    credentials: { actionLedgerApi: stack.credentials.actionLedgerApi },
    parameters: {
      operationName: { __rl: true, mode: 'name', value: operation },
      businessId: businessId ?? '={{ $json.orderId ?? $json.body.orderId }}',
      options,
    },
    ...(onError && { onError }),
  };
}

/** Record Receipt as it comes out of the node creator. */
export function recordReceipt(changes: Partial<NodeDraft> = {}): NodeDraft {
  return {
    name: 'Receipt',
    type: 'n8n-nodes-action-ledger.recordReceipt',
    typeVersion: 1,
    credentials: { actionLedgerApi: stack.credentials.actionLedgerApi },
    parameters: {},
    ...changes,
  };
}
