import type { INode, INodeType } from 'n8n-workflow';

import { ClaimAction } from '../../nodes/ClaimAction/ClaimAction.node';
import { LookUpAction } from '../../nodes/LookUpAction/LookUpAction.node';
import { ReconcileUnknown } from '../../nodes/ReconcileUnknown/ReconcileUnknown.node';
import { RecordReceipt } from '../../nodes/RecordReceipt/RecordReceipt.node';

/** Our nodes under the names that they have in an n8n where the package is installed. */
export const ledgerNodeTypes: Record<string, INodeType> = {
  'n8n-nodes-action-ledger.claimAction': new ClaimAction(),
  'n8n-nodes-action-ledger.recordReceipt': new RecordReceipt(),
  'n8n-nodes-action-ledger.reconcileUnknown': new ReconcileUnknown(),
  'n8n-nodes-action-ledger.lookUpAction': new LookUpAction(),
};

type NodeOf = Partial<INode> & { name: string; type: string };

const credentials = { actionLedgerApi: { id: 'ledger', name: 'Action Ledger' } };

export function claimNode(name = 'Claim', more: Partial<INode> = {}): NodeOf {
  return {
    name,
    type: 'n8n-nodes-action-ledger.claimAction',
    credentials,
    ...more,
    parameters: {
      operationName: { __rl: true, mode: 'name', value: 'reserve-seat' },
      businessId: '={{ $json.orderId }}',
      options: {},
      ...more.parameters,
    },
  };
}

export function receiptNode(name = 'Receipt', more: Partial<INode> = {}): NodeOf {
  return {
    name,
    type: 'n8n-nodes-action-ledger.recordReceipt',
    credentials,
    ...more,
    parameters: { recordFor: 'item', claim: 'automatic', outcome: 'decide', ...more.parameters },
  };
}

export function ledgerNode(
  name: string,
  type: string,
  parameters: INode['parameters'],
  more: Partial<INode> = {},
): NodeOf {
  return { name, type: `n8n-nodes-action-ledger.${type}`, credentials, ...more, parameters };
}

export function start(name = 'Start'): NodeOf {
  return { name, type: 'test.start' };
}
