import { randomUUID } from 'node:crypto';

import { type Action } from '../../../../ledger-service/src/domain/action';
import { type Outcome } from '../../../../ledger-service/src/domain/answers';
import { type ClaimCommand, type Command } from '../../../../ledger-service/src/domain/commands';
import { decide } from '../../../../ledger-service/src/domain/decide';
import { type Decision, type Entry } from '../../../../ledger-service/src/domain/decision';
import { DEFAULT_POLICY, type Operation } from '../../../../ledger-service/src/domain/policy';
import { Problem } from '../../../../ledger-service/src/domain/problem';

export interface Settled {
  decision: Decision;
  action: Action | null;
  operation: Operation;
  now: number;
  newestVersion: number | null;
}

export interface Kept {
  action: Action;
  entries: (Entry & { at: number })[];
}

/** Decides commands with the service's rules and keeps what they change. */
export class KeptActions {
  readonly kept = new Map<string, Kept>();
  private readonly operations = new Map<string, Operation>();
  private readonly workspaces: string[] = [];

  constructor(public now: number) {}

  workspaceNo(workspace: string): number {
    if (!this.workspaces.includes(workspace)) this.workspaces.push(workspace);
    return this.workspaces.indexOf(workspace) + 1;
  }

  /** What an action is kept under. */
  nameOf(workspace: string, actionId: string): string {
    return `${this.workspaceNo(workspace)} ${actionId}`;
  }

  operation(workspaceNo: number, name: string): Operation {
    const full = `${workspaceNo} ${name}`;
    let operation = this.operations.get(full);
    if (operation === undefined) {
      const no = this.operations.size + 1;
      operation = { workspaceNo, no, name, configured: false, revision: 1, policy: { ...DEFAULT_POLICY } };
      this.operations.set(full, operation);
    }
    return operation;
  }

  save(operation: Operation): void {
    this.operations.set(`${operation.workspaceNo} ${operation.name}`, operation);
  }

  /** Decides and keeps; once more where the first change only ended a lease. */
  settle(workspace: string, actionId: string, command: Command, newestVersion: number | null = null): Settled {
    const { decision, operation } = this.decided(workspace, actionId, command, newestVersion);
    const action = this.keep(this.nameOf(workspace, actionId), decision);
    if (decision.again) return this.settle(workspace, actionId, command, newestVersion);
    return { decision, action, operation, now: this.now, newestVersion };
  }

  /** What a claim would be answered if no version were known, without carrying it out. */
  answerBefore(workspace: string, actionId: string, command: ClaimCommand): Decision['answer'] {
    return this.decided(workspace, actionId, command, null).decision.answer;
  }

  private decided(
    workspace: string,
    actionId: string,
    command: Command,
    newestVersion: number | null,
  ): { decision: Decision; operation: Operation } {
    const workspaceNo = this.workspaceNo(workspace);
    const action = this.kept.get(this.nameOf(workspace, actionId))?.action ?? null;
    const operationName = action?.key.operation ?? ('key' in command ? command.key.operation : undefined);
    if (operationName === undefined) throw new Problem('action_unknown', 'There is no such action.');
    const operation = this.operation(workspaceNo, operationName);
    const decision = decide({
      command,
      action,
      policy: operation.policy,
      operationNo: operation.no,
      workspaceNo,
      actionId,
      now: this.now,
      newestVersion,
      randomUuid: randomUUID,
    });
    return { decision, operation };
  }

  private keep(name: string, { change }: Decision): Action | null {
    const before = this.kept.get(name);
    if (change === null) return before?.action ?? null;
    const revision = (before?.action.revision ?? 0) + 1;
    // A copy: what was decided on must not be what is kept, or a rule that changes it in place would go unnoticed.
    const action = structuredClone({ ...change.next, no: before?.action.no ?? this.kept.size + 1, revision });
    const entries = before?.entries ?? [];
    if (change.entry !== null) entries.push(structuredClone({ ...change.entry, at: this.now }));
    this.kept.set(name, { action, entries });
    return action;
  }
}

/** What an answer is made from. */
export function outcomeOf(
  command: Command,
  actionId: string,
  { operation, ...settled }: Settled,
  event: Outcome<never>['event'] = null,
): Outcome<never> {
  const { policy, configured } = operation;
  return { command: command as never, actionId, policy, operationConfigured: configured, event, ...settled };
}
