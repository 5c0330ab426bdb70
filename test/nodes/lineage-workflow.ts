import type { INode, INodeType } from 'n8n-workflow';

import { connect, Engine } from './engine';
import type { WorkflowDefinition } from './engine';
import { noOp, step } from './helper-nodes';
import type { Json } from './json';
import { claimNode, ledgerNodeTypes, receiptNode, start } from './ledger-nodes';
import { agreeable, batch, proceed } from './scripted-ledger';
import type { Script, ScriptedLedger } from './scripted-ledger';

/** The token names the operation too, so that two Claim Actions for one item are told apart. */
export const tokenPerOperation: Script = (received, earlier) =>
  received.path === '/v1/claims'
    ? batch(received.body.claims.map((claim) => proceed(claim, `${claim.operation}:${claim.subject}`)))
    : agreeable(received, earlier);

const book = step(({ orderId }) => ({ reservationId: `RSV-${orderId}` }));
export const orders = (count: number) => Array.from({ length: count }, (_, index) => ({ orderId: `o${index}` }));

export async function trace(
  ledger: ScriptedLedger,
  definition: WorkflowDefinition,
  nodeTypes: Record<string, INodeType>,
  items: Array<Record<string, unknown>> = orders(3),
) {
  const engine = new Engine({
    nodeTypes: { ...ledgerNodeTypes, 'test.book': book, 'n8n-nodes-base.noOp': noOp, ...nodeTypes },
    credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test' } },
  });
  const done = await engine.run(definition, { items });
  const receipts = ledger.asked('/v1/receipts').flatMap(({ body }) => body.receipts);
  return { done, receipts, error: done.error };
}

/** Start → Claim → each given node in a row → Receipt. */
export function inARow(
  between: Array<Partial<INode> & { name: string; type: string }>,
  receipt: Partial<INode> = {},
): WorkflowDefinition {
  const names = ['Start', 'Claim', ...between.map(({ name }) => name), 'Receipt'];
  return {
    nodes: [start(), claimNode(), ...between, receiptNode('Receipt', receipt)],
    connections: connect(Object.fromEntries(names.slice(0, -1).map((name, at) => [name, [[names[at + 1]!]]]))),
  };
}

export const tokens = (receipts: Json[]) => receipts.map(({ claimToken }) => claimToken);
export const references = (receipts: Json[]) => receipts.map(({ reference }) => reference);

/** Two claims for one item, each with its step, whose branches meet. */
export function merged(kind: string): WorkflowDefinition {
  const mail = { operationName: { __rl: true, mode: 'name', value: 'send-mail' } };
  return {
    nodes: [
      start(),
      claimNode('Claim Seat'),
      claimNode('Claim Mail', { parameters: mail }),
      { name: 'Book', type: 'test.book' },
      { name: 'Mail', type: 'test.book' },
      { name: `Merge ${kind}`, type: 'test.merge' },
      receiptNode(),
    ],
    connections: connect({
      Start: [['Claim Seat', 'Claim Mail']],
      'Claim Seat': [['Book']],
      'Claim Mail': [['Mail']],
      Book: [[`Merge ${kind}`]],
      Mail: [[`Merge ${kind}#1`]],
      [`Merge ${kind}`]: [['Receipt']],
    }),
  };
}
