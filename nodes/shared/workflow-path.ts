import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';

/** A node that lies upstream, with its settings as the builder typed them (expressions are not resolved). */
export interface UpstreamNode {
  name: string;
  type: string;
  typeVersion: number;
  disabled: boolean;
  parameters: INodeParameters;
}

export interface SourceOfItems {
  node: string;
  output: number;
  run: number;
}

/** Where this run's items came from. */
export function readSource(context: IExecuteFunctions): SourceOfItems | undefined {
  try {
    const source = context.getInputSourceData();
    if (typeof source?.previousNode !== 'string') return undefined;
    return {
      node: source.previousNode,
      output: source.previousNodeOutput ?? 0,
      run: source.previousNodeRun ?? 0,
    };
  } catch {
    return undefined;
  }
}

export function upstreamNodes(context: IExecuteFunctions, name: string, depth?: number): UpstreamNode[] {
  return context.getParentNodes(name, { includeNodeParameters: true, depth }).map((node) => ({
    name: node.name,
    type: node.type,
    typeVersion: node.typeVersion,
    disabled: node.disabled,
    parameters: node.parameters ?? {},
  }));
}

/** Package prefix aside: installed it is n8n-nodes-action-ledger, during development CUSTOM. */
export function isNodeType(node: { type: string }, name: string): boolean {
  return node.type === name || node.type.endsWith(`.${name}`);
}

/**
 * Every node that an item may have passed between the claim and here, walking back from where the items came from. The
 * walk stops at the claim and at this node, so that what lies beyond a loop does not count.
 */
export function nodesBetween(context: IExecuteFunctions, from: string, claimNode: string): UpstreamNode[] {
  const self = context.getNode().name;
  const known = new Map(upstreamNodes(context, self).map((node) => [node.name, node]));
  const between = new Map<string, UpstreamNode>();
  const waiting = [from];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const node = known.get(name);
    if (name === claimNode || name === self || between.has(name) || node === undefined) continue;
    between.set(name, node);
    waiting.push(...context.getParentNodes(name, { depth: 1 }).map((parent) => parent.name));
  }
  return [...between.values()];
}
