import path from 'node:path';

import { Engine, type WorkflowDefinition } from '@action-ledger/test-nodes';
import { PackageDirectoryLoader } from 'n8n-core';
import type { INodeType } from 'n8n-workflow';

import { emailSend, type MailServer } from './stand-ins/email-send';
import { cancelOrder, ifElse, passOn } from './stand-ins/flow';
import { httpRequest } from './stand-ins/http-request';

const repository = path.resolve(__dirname, '../..');

export interface EngineSettings {
  ledger: { url: string; apiKey: string };
  mailServer: MailServer;
  /** Called when the booking system has answered and nothing is recorded yet. */
  afterBooking?: () => Promise<void>;
}

/** n8n's engine with this repository's built nodes, taken in by n8n's own loader, and stand-ins for n8n's own nodes. */
export async function workshopEngine({ ledger, mailServer, afterBooking }: EngineSettings): Promise<Engine> {
  const loader = new PackageDirectoryLoader(repository);
  await loader.loadAll();
  const ours = Object.entries(loader.nodeTypes).map(([name, { type }]) => [`${loader.packageName}.${name}`, type]);
  return new Engine({
    nodeTypes: {
      ...(Object.fromEntries(ours) as Record<string, INodeType>),
      'n8n-nodes-base.webhook': passOn('webhook'),
      'n8n-nodes-base.respondToWebhook': passOn('respondToWebhook'),
      'n8n-nodes-base.scheduleTrigger': passOn('scheduleTrigger'),
      'n8n-nodes-base.manualTrigger': passOn('manualTrigger'),
      'n8n-nodes-base.if': ifElse,
      'demo.cancelOrder': cancelOrder,
      'n8n-nodes-base.httpRequest': httpRequest(afterBooking),
      'n8n-nodes-base.emailSend': emailSend(mailServer),
    },
    credentials: { ledger: { baseUrl: ledger.url, apiKey: ledger.apiKey } },
  });
}

const credentials = { actionLedgerApi: { id: 'ledger', name: 'Action Ledger' } };

export function withCredential({ nodes, ...workflow }: WorkflowDefinition): WorkflowDefinition {
  return {
    ...workflow,
    nodes: nodes.map((node) => (node.type.startsWith('n8n-nodes-action-ledger.') ? { ...node, credentials } : node)),
  };
}
