import { randomUUID } from 'node:crypto';
import './n8n-user-folder';

import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import { Workflow } from 'n8n-workflow';
import type {
  IConnections,
  INode,
  INodeExecutionData,
  INodeType,
  IPinData,
  IRun,
  IRunExecutionData,
  IWorkflowExecuteAdditionalData,
  IWorkflowSettings,
  WorkflowExecuteMode,
} from 'n8n-workflow';

import { CredentialStore } from './credential-store';
import { startNode } from './helper-nodes';
import type { JsonObject } from './json';

/** A workflow as n8n exports it; positions and IDs are filled in where they are left out. */
export interface WorkflowDefinition {
  nodes: Array<Partial<INode> & { name: string; type: string }>;
  connections: IConnections;
  settings?: IWorkflowSettings;
}

export interface EngineOptions {
  /** By full type name, for example `n8n-nodes-action-ledger.claimAction`. */
  nodeTypes: Record<string, INodeType>;
  /** Data of credentials by their ID. */
  credentials?: Record<string, Record<string, string>>;
}

export interface RunOptions {
  items?: Array<Record<string, unknown>>;
  startNode?: string;
  mode?: WorkflowExecuteMode;
  executionId?: string;
  workflowId?: string;
  pinData?: IPinData;
  /** Called with the running execution, to stop it as a user would. */
  onStart?: (execution: { cancel: () => void }) => void;
}

/** A finished execution, read as a person reads it in the editor. */
export class FinishedRun {
  constructor(
    readonly run: IRun,
    readonly executionId: string,
  ) {}

  /** What stopped the execution, as n8n keeps it: a plain object. */
  get error(): JsonObject | undefined {
    return this.run.data.resultData.error;
  }

  /** The items that left a node on one output, in its latest run or a given one. */
  output(node: string, output = 0, run?: number): INodeExecutionData[] {
    const runs = this.run.data.resultData.runData[node] ?? [];
    return runs[run ?? runs.length - 1]?.data?.main?.[output] ?? [];
  }

  json(node: string, output = 0, run?: number): Array<JsonObject> {
    return this.output(node, output, run).map(({ json }) => json);
  }

  hints(node: string): string[] {
    return (this.run.data.resultData.runData[node] ?? []).flatMap(({ hints }) =>
      (hints ?? []).map(({ message }) => message),
    );
  }

  wasExecuted(node: string): boolean {
    return (this.run.data.resultData.runData[node] ?? []).length > 0;
  }
}

/** Runs workflows in n8n's own engine, without its server, editor or database. */
export class Engine {
  private readonly credentialStore: CredentialStore;

  private readonly nodeTypes: Record<string, INodeType>;

  constructor({ nodeTypes, credentials = {} }: EngineOptions) {
    this.credentialStore = new CredentialStore(credentials);
    this.nodeTypes = { 'test.start': startNode, ...nodeTypes };
  }

  async run(definition: WorkflowDefinition, options: RunOptions = {}): Promise<FinishedRun> {
    const workflow = this.workflow(definition, options.workflowId);
    const start = workflow.getNode(options.startNode ?? definition.nodes[0]?.name ?? '');
    if (start === null) throw new Error('The workflow has no node to start from');
    const { executionId, additionalData, mode } = this.execution(options);
    const main = [(options.items ?? [{}]).map((json) => ({ json: json as INodeExecutionData['json'] }))];
    const running = new WorkflowExecute(additionalData, mode).run({
      workflow,
      startNode: start,
      pinData: options.pinData,
      triggerToStartFrom: {
        name: start.name,
        data: { startTime: 0, executionTime: 0, executionIndex: 0, source: [], data: { main } },
      },
    });
    options.onStart?.({ cancel: () => running.cancel() });
    return new FinishedRun(await running, executionId);
  }

  /**
   * n8n's manual Retry: a new execution that takes the stored data of a failed one and goes on at the node that failed.
   * The data pass through JSON, as they do through n8n's database.
   */
  async retry(failed: FinishedRun, definition: WorkflowDefinition, options: RunOptions = {}): Promise<FinishedRun> {
    const { executionId, additionalData } = this.execution(options);
    const data = JSON.parse(JSON.stringify(failed.run.data)) as IRunExecutionData;
    const { lastNodeExecuted, runData } = data.resultData;
    if (lastNodeExecuted !== undefined) runData[lastNodeExecuted]?.pop();
    delete data.resultData.error;
    delete data.resultData.lastNodeExecuted;
    const workflow = this.workflow(definition, options.workflowId);
    const running = new WorkflowExecute(additionalData, 'retry', data).processRunExecutionData(workflow);
    return new FinishedRun(await running, executionId);
  }

  private workflow({ nodes, connections, settings }: WorkflowDefinition, id = 'workflow-1'): Workflow {
    return new Workflow({
      id,
      name: 'A workflow',
      active: false,
      nodes: nodes.map((node, index) => ({
        id: `node-${index}`,
        typeVersion: 1,
        position: [index * 200, 0],
        parameters: {},
        ...node,
      })),
      connections,
      settings: { executionOrder: 'v1', ...settings },
      nodeTypes: {
        getByName: (type: string) => this.nodeType(type),
        getByNameAndVersion: (type: string) => this.nodeType(type),
        getKnownTypes: () => ({}),
      },
    });
  }

  private nodeType(type: string): INodeType {
    const found = this.nodeTypes[type];
    if (found === undefined) throw new Error(`The engine knows no node of type ${type}`);
    return found;
  }

  private execution({ executionId = randomUUID(), workflowId = 'workflow-1', mode = 'webhook' }: RunOptions) {
    const hooks = new ExecutionLifecycleHooks(mode, executionId, {
      id: workflowId,
      name: 'A workflow',
      active: false,
      isArchived: false,
      createdAt: new Date(),
      updatedAt: new Date(),
      activeVersionId: null,
      nodes: [],
      connections: {},
    });
    // Base URLs must look real: $execution cannot be read in expressions with empty ones.
    const additionalData = {
      executionId,
      workflowId,
      hooks,
      credentialsHelper: this.credentialStore,
      currentNodeExecutionIndex: 0,
      variables: {},
      instanceBaseUrl: 'http://127.0.0.1:5678/',
      restApiUrl: 'http://127.0.0.1:5678/rest',
      webhookBaseUrl: 'http://127.0.0.1:5678/webhook',
      webhookWaitingBaseUrl: 'http://127.0.0.1:5678/webhook-waiting',
      webhookTestBaseUrl: 'http://127.0.0.1:5678/webhook-test',
      formBaseUrl: 'http://127.0.0.1:5678/form',
      formWaitingBaseUrl: 'http://127.0.0.1:5678/form-waiting',
      formTestBaseUrl: 'http://127.0.0.1:5678/form-test',
    } as unknown as IWorkflowExecuteAdditionalData;
    return { executionId, additionalData, mode };
  }
}

/** `{ A: [['B'], ['C']] }` as n8n's connections: output 0 of A goes to B, output 1 to C. */
export function connect(wires: Record<string, string[][]>): IConnections {
  return Object.fromEntries(
    Object.entries(wires).map(([from, outputs]) => [
      from,
      {
        main: outputs.map((targets) =>
          targets.map((target) => {
            const [node = '', input] = target.split('#');
            return { node, type: 'main' as const, index: Number(input ?? 0) };
          }),
        ),
      },
    ]),
  );
}
