import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { asNodeError, failAll, onlyErrors, thrownFailure } from '../shared/node-errors';
import { searchOperations } from '../shared/operation-locator';
import { getDue } from './operations/get-due';
import { resolve } from './operations/resolve';
import { reconcileProperties } from './parameters';

const operations = { getDue, resolve };

export class ReconcileUnknown implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Reconcile Unknown',
    name: 'reconcileUnknown',
    icon: { light: 'file:reconcileUnknown.svg', dark: 'file:reconcileUnknown.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle:
      '={{ $parameter["operation"] === "getDue" ? "get due" : ({ happened: "it happened", not_happened: "it did not happen", still_unknown: "still unknown" })[$parameter["outcome"]] }}',
    description: 'Get actions of the Action Ledger service whose outcome nobody knows, and record what was found out',
    defaults: { name: 'Reconcile Unknown' },
    usableAsTool: undefined,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'actionLedgerApi', required: true }],
    properties: reconcileProperties,
  };

  methods = { listSearch: { searchOperations } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData();
    try {
      const operation = this.getNodeParameter('operation', 0) as keyof typeof operations;
      return [await operations[operation](this, items)];
    } catch (error) {
      // Thrown, the input would leave as if it were the result.
      if (this.continueOnFail()) return onlyErrors(1, failAll(items, thrownFailure(0, error, '')));
      throw asNodeError(this, error);
    }
  }
}
