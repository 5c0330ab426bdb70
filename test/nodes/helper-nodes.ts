import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import type { JsonObject } from './json';

type Execute = (this: IExecuteFunctions) => Promise<INodeExecutionData[][]> | INodeExecutionData[][];

/** A node whose work is a function of the test, under any type name. */
export function nodeFrom(
  execute: Execute,
  { inputs = 1, outputs = 1, properties = [] as INodeTypeDescription['properties'] } = {},
): INodeType {
  return {
    description: {
      displayName: 'Test Node',
      name: 'testNode',
      group: ['transform'],
      version: [1, 2, 3, 4, 4.1, 4.2, 4.5],
      description: 'A node of a test',
      defaults: { name: 'Test Node' },
      inputs: Array.from({ length: inputs }, () => NodeConnectionTypes.Main),
      outputs: Array.from({ length: outputs }, () => NodeConnectionTypes.Main),
      properties,
    },
    async execute(this: IExecuteFunctions) {
      return await execute.call(this);
    },
  };
}

export const startNode = nodeFrom(function () {
  return [this.getInputData()];
});

export const noOp = startNode;

/** n8n drops parameters that a node type does not have; our nodes read these of their neighbours. */
const READ_BY_OUR_NODES: INodeTypeDescription['properties'] = [
  { displayName: 'Options', name: 'options', type: 'json', default: {} },
  { displayName: 'Mode', name: 'mode', type: 'string', default: 'runOnceForAllItems' },
];

/** A step that answers each item for itself. What the function returns is the item; what it throws stops the node. */
export function step(answer: (json: JsonObject, index: number) => unknown): INodeType {
  const execute: Execute = async function () {
    const items = this.getInputData();
    const output: INodeExecutionData[] = [];
    for (const [item, { json }] of items.entries()) {
      const answered = await answer(json, item);
      for (const one of Array.isArray(answered) ? answered : [answered])
        output.push({ json: one, pairedItem: { item } });
    }
    return [output];
  };
  return nodeFrom(execute, { properties: READ_BY_OUR_NODES });
}

/** As n8n's Aggregate: one item that is paired with all that went in. */
export const aggregate = nodeFrom(function () {
  const items = this.getInputData();
  return [[{ json: { data: items.map(({ json }) => json) }, pairedItem: items.map((_, item) => ({ item })) }]];
});

/** As n8n's Code node in "Run Once for All Items": what the function returns, without pairing of its own. */
export function code(all: (items: Array<JsonObject>) => Array<JsonObject>): INodeType {
  return nodeFrom(
    function () {
      return [all(this.getInputData().map(({ json }) => json)).map((json) => ({ json }))];
    },
    { properties: READ_BY_OUR_NODES },
  );
}

/** As n8n's Merge: append, or combine by position. */
export const mergeAppend = nodeFrom(
  function () {
    return [
      [0, 1].flatMap((input) =>
        this.getInputData(input).map(({ json }, item) => ({ json, pairedItem: { item, input } })),
      ),
    ];
  },
  { inputs: 2 },
);

export const mergeByPosition = nodeFrom(
  function () {
    const second = this.getInputData(1);
    return [
      this.getInputData(0).map(({ json }, item) => ({
        json: { ...json, ...second[item]?.json },
        pairedItem: [
          { item, input: 0 },
          { item, input: 1 },
        ],
      })),
    ];
  },
  { inputs: 2 },
);

/** As n8n's Loop Over Items with a batch size of 1: done on output 0, the next item on output 1. */
export const loopOverItems = nodeFrom(
  function () {
    const context = this.getContext('node') as { waiting?: INodeExecutionData[]; done?: INodeExecutionData[] };
    const items = this.getInputData();
    if (context.waiting === undefined) {
      context.waiting = items.map((item, index) => ({ ...item, pairedItem: { item: index } }));
      context.done = [];
    } else {
      context.done?.push(...items.map((item, index) => ({ ...item, pairedItem: { item: index } })));
    }
    const next = context.waiting.shift();
    if (next === undefined) return [context.done ?? [], []];
    return [[], [next]];
  },
  { outputs: 2 },
);
