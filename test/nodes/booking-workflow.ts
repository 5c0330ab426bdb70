import type { INode, INodeType } from 'n8n-workflow';

import { connect, Engine } from './engine';
import type { WorkflowDefinition } from './engine';
import { noOp } from './helper-nodes';
import { claimNode, ledgerNodeTypes, receiptNode, start } from './ledger-nodes';
import type { RealLedger } from './real-ledger';

const httpRequest = 'n8n-nodes-base.httpRequest';
const noRedirects = { options: { redirect: { redirect: { followRedirects: false } } } };

/** Our nodes and a booking step, with the credential of a real ledger. */
export function bookingEngine(
  ledger: RealLedger,
  booking: INodeType,
  url = ledger.url,
  ledgerId = ledger.ledgerId,
): Engine {
  return new Engine({
    nodeTypes: { ...ledgerNodeTypes, [httpRequest]: booking, 'test.noOp': noOp },
    credentials: { ledger: { baseUrl: url, apiKey: ledger.apiKey, ledgerId } },
  });
}

/** The booking as a builder guards it: Record Receipt on both outputs of a step that follows no redirects. */
export function guardedBooking(claim: Record<string, unknown> = {}, bookNode: Partial<INode> = {}): WorkflowDefinition {
  return {
    nodes: [
      start(),
      claimNode('Claim', { parameters: claim as never }),
      {
        name: 'Book',
        type: httpRequest,
        typeVersion: 4.2,
        onError: 'continueErrorOutput',
        parameters: noRedirects,
        ...bookNode,
      },
      receiptNode(),
    ],
    connections: connect({ Start: [['Claim']], Claim: [['Book']], Book: [['Receipt'], ['Receipt']] }),
  };
}
