import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';

const described = (name: string, more: Partial<INodeTypeDescription> = {}): INodeTypeDescription => ({
  displayName: name,
  name,
  group: ['transform'],
  version: [1],
  description: name,
  defaults: { name },
  inputs: [NodeConnectionTypes.Main],
  outputs: [NodeConnectionTypes.Main],
  properties: [],
  ...more,
});

/** Stands in for triggers, whose items the demo hands over itself, and for Respond To Webhook: passes its items on. */
export function passOn(name: string): INodeType {
  return {
    description: described(name),
    async execute(this: IExecuteFunctions) {
      return [this.getInputData()];
    },
  };
}

/** Stands in for n8n's If. The condition itself is n8n's: its engine evaluates filters. */
export const ifElse: INodeType = {
  description: described('if', {
    outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
    properties: [{ displayName: 'Conditions', name: 'conditions', type: 'filter', default: {} }],
  }),
  async execute(this: IExecuteFunctions) {
    const items = this.getInputData().map((item, index) => ({ ...item, pairedItem: { item: index } }));
    const holds = items.map(
      (_, index) => this.getNodeParameter('conditions', index, false, { extractValue: true }) === true,
    );
    return [items.filter((_, index) => holds[index]), items.filter((_, index) => !holds[index])];
  },
};

/** The shop's own step that cancels an order; it answers with the cancellation's number. */
export const cancelOrder: INodeType = {
  description: described('cancelOrder'),
  async execute(this: IExecuteFunctions) {
    return [this.getInputData().map((_, item) => ({ json: { reference: `CXL-${item + 1}` }, pairedItem: { item } }))];
  },
};
