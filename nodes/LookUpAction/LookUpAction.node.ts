import { NodeConnectionTypes } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { failureOf, thrownFailure, toErrorItem, toNodeError } from '../shared/node-errors';
import type { ItemFailure } from '../shared/node-errors';
import { findActions, readSearch } from './look-up';
import { lookUpProperties } from './parameters';

export class LookUpAction implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Look Up Action',
    name: 'lookUpAction',
    icon: { light: 'file:lookUpAction.svg', dark: 'file:lookUpAction.dark.svg' },
    group: ['input'],
    version: 1,
    subtitle: '={{ "by " + $parameter["by"] }}',
    description:
      'Read from the Action Ledger service what was done for an order, an event or a reference, and in which state it is. It changes nothing.',
    defaults: { name: 'Look Up Action' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'actionLedgerApi', required: true }],
    properties: lookUpProperties,
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const output: INodeExecutionData[] = [];
    for (const itemIndex of this.getInputData().keys()) {
      const looked = await lookUp(this, itemIndex);
      if (!('failure' in looked)) {
        output.push(...looked.actions.map((json) => ({ json, pairedItem: { item: itemIndex } })));
      } else if (this.continueOnFail()) {
        output.push(toErrorItem(looked.failure));
      } else {
        throw toNodeError(this, looked.failure);
      }
    }
    return [output];
  }
}

async function lookUp(
  context: IExecuteFunctions,
  itemIndex: number,
): Promise<{ actions: IDataObject[] } | { failure: ItemFailure }> {
  try {
    const search = readSearch(context, itemIndex);
    const { includeHistory } = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
    const found = await findActions(context, search, includeHistory !== false);
    if ('failure' in found) return { failure: failureOf(itemIndex, found.failure, 'Nothing could be looked up.') };
    return found.actions.length > 0 ? found : { actions: [nothingFound(search)] };
  } catch (error) {
    return { failure: thrownFailure(itemIndex, error, '') };
  }
}

/** Said in words, so that neither a person nor a language model takes an empty answer for a yes. */
function nothingFound(search: IDataObject): IDataObject {
  const asked = Object.entries(search)
    .filter(([name]) => name !== 'limit')
    .map(([name, value]) => `${name} ${String(value)}`);
  return {
    found: false,
    summary: `The ledger knows no action for ${asked.join(', ')}. It was never claimed under it: nothing guarded was done, or it has another ID.`,
  };
}
