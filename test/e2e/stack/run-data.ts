import { parse } from 'flatted';

import type { ExecutionSummary } from './n8n-session';
import { until } from './until';

type Item = { json: Record<string, unknown> };

/** What one node did in one execution. */
interface NodeRun {
  executionStatus: string;
  error?: { message: string };
  data?: { main: (Item[] | null)[] };
}

/** What the executions view of the editor shows about one execution. */
export class RunData {
  constructor(
    readonly summary: ExecutionSummary,
    private readonly runs: Record<string, NodeRun[]>,
  ) {}

  get nodesRun(): string[] {
    return Object.keys(this.runs);
  }

  /**
   * All items that left a node on one of its outputs, over all its runs. After a crash n8n puts an item of its own into
   * runs whose data it lost; that one left nowhere.
   */
  items(node: string, output: number): Record<string, unknown>[] {
    return (this.runs[node] ?? [])
      .flatMap((run) => run.data?.main[output] ?? [])
      .map((item) => item.json)
      .filter((json) => !json.isArtificialRecoveredEventItem);
  }

  error(node: string): string | undefined {
    return this.runs[node]?.find((run) => run.error)?.error?.message;
  }
}

/** The newest execution of a workflow, once it has ended. */
export async function latestExecution(workflowId: string): Promise<RunData> {
  const ended = await until(
    async () => {
      const [newest] = await stack.editor.executions(workflowId);
      return newest && !['new', 'running'].includes(newest.status) && newest;
    },
    { what: 'the execution to end', timeoutMs: 60_000 },
  );
  return runDataOf(ended.id);
}

export async function runDataOf(executionId: string): Promise<RunData> {
  const execution = await until(
    async () => {
      const found = await stack.editor.execution(executionId);
      return !['new', 'running'].includes(found.status) && found;
    },
    { what: `execution ${executionId} to end`, timeoutMs: 60_000 },
  );
  const data = parse(execution.data) as { resultData: { runData?: Record<string, NodeRun[]> } };
  return new RunData(execution, data.resultData.runData ?? {});
}
