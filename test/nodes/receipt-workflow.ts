import type { INode, INodeType } from 'n8n-workflow';

import { connect, Engine } from './engine';
import type { RunOptions, WorkflowDefinition } from './engine';
import { nodeFrom, step } from './helper-nodes';
import { claimNode, ledgerNodeTypes, receiptNode, start } from './ledger-nodes';
import type { ScriptedLedger } from './scripted-ledger';

export interface Setup {
  /** The steps between Claim and Receipt, by name, in a row; each with the node that does it. */
  steps: Array<{ name?: string; type?: string; does: INodeType; node?: Partial<INode> }>;
  claim?: Partial<INode>;
  receipt?: Partial<INode>;
  items?: Array<Record<string, unknown>>;
  run?: RunOptions;
}

export async function recordWith(
  ledger: ScriptedLedger,
  { steps, claim = {}, receipt = {}, items = [{ orderId: '842', paid: true }], run = {} }: Setup,
) {
  const named = steps.map((one, at) => ({ name: `Step ${at + 1}`, type: `test.step${at + 1}`, ...one }));
  const nodes = named.map(({ name, type, node }) => ({
    name,
    type,
    typeVersion: 4.2,
    onError: 'continueErrorOutput' as const,
    ...node,
  }));
  const names = ['Start', 'Claim', ...named.map(({ name }) => name)];
  const definition: WorkflowDefinition = {
    nodes: [start(), claimNode('Claim', claim), ...nodes, receiptNode('Receipt', receipt)],
    connections: connect({
      ...Object.fromEntries(names.slice(0, -1).map((name, at) => [name, [[names[at + 1]!]]])),
      [names.at(-1)!]: [['Receipt'], ['Receipt']],
    }),
  };
  const engine = new Engine({
    nodeTypes: { ...ledgerNodeTypes, ...Object.fromEntries(named.map(({ type, does }) => [type, does])) },
    credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test' } },
  });
  const done = await engine.run(definition, { items, ...run });
  const receipts = ledger.asked('/v1/receipts').flatMap(({ body }) => body.receipts);
  const output = [0, 1, 2, 3].find((at) => done.json('Receipt', at).length > 0);
  return {
    done,
    receipts,
    receipt: receipts[0],
    output,
    item: output === undefined ? undefined : done.json('Receipt', output)[0],
  };
}

export const book = step(() => ({ reservationId: 'RSV-219', status: 'booked' }));
export const throws = nodeFrom(() => {
  throw new Error('socket hang up');
});
export const httpRequest = 'n8n-nodes-base.httpRequest';
