import type { WorkflowDefinition } from '@action-ledger/test-nodes';

type Target = { node: string; type: string; index: number };

const GUARDS = 'n8n-nodes-action-ledger.';

/**
 * The same workflow as it was before the guards: what led to a guard leads to what stands behind its first output, and
 * steps stop the workflow when they fail, as n8n's nodes do unless told otherwise.
 */
export function withoutGuards({ nodes, connections, settings }: WorkflowDefinition): WorkflowDefinition {
  const guards = new Set(nodes.filter(({ type }) => type.startsWith(GUARDS)).map(({ name }) => name));
  const mainOutput = (node: string): Target[] => connections[node]?.main?.[0] ?? [];
  const skipGuards = (target: Target): Target[] =>
    guards.has(target.node) ? mainOutput(target.node).flatMap(skipGuards) : [target];

  const steps = nodes.filter(({ name }) => !guards.has(name));
  return {
    nodes: steps.map((node) => ({ ...node, onError: 'stopWorkflow' as const })),
    connections: Object.fromEntries(
      steps.map(({ name }) => [name, { main: [mainOutput(name).flatMap(skipGuards)] }]),
    ) as WorkflowDefinition['connections'],
    settings,
  };
}
