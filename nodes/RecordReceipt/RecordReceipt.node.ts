import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { neverOutputUndecided, warnOfAlwaysOutputData } from '../shared/n8n-internals';
import { asNodeError, failAll, onlyErrors, thrownFailure } from '../shared/node-errors';
import { receiptProperties } from './parameters';
import { recordCrashedExecutions } from './record-crashed-execution';
import { recordItems } from './record-items';
import { OUTPUTS } from './route-receipts';

export class RecordReceipt implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Record Receipt',
    name: 'recordReceipt',
    icon: { light: 'file:recordReceipt.svg', dark: 'file:recordReceipt.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle:
      '={{ $parameter["recordFor"] === "item" ? ({ decide: "decide from result", confirmed: "confirmed", failed: "failed", unknown: "unknown" })[$parameter["outcome"]] : "a crashed execution" }}',
    description: 'Tell the Action Ledger service what became of a claimed step, with evidence',
    defaults: { name: 'Record Receipt' },
    usableAsTool: undefined,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main, NodeConnectionTypes.Main],
    outputNames: ['Confirmed', 'Failed', 'Unknown'],
    credentials: [{ name: 'actionLedgerApi', required: true }],
    properties: receiptProperties,
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData();
    try {
      if (neverOutputUndecided(this)) warnOfAlwaysOutputData(this);
      const isCrash = this.getNodeParameter('recordFor', 0, 'item') === 'crashedExecution';
      return isCrash ? await recordCrashedExecutions(this, items) : await recordItems(this, items);
    } catch (error) {
      // A node that throws while it continues on errors leaves its input on output 0, which is Confirmed.
      if (this.continueOnFail()) {
        const failure = thrownFailure(0, error, 'It is not sure that a receipt was recorded.');
        return onlyErrors(OUTPUTS, failAll(items, failure));
      }
      throw asNodeError(this, error);
    }
  }
}
