import { randomUUID } from 'node:crypto';

import { type Action } from '../domain/action';
import { type ActionKey, digestUuid, sameKey } from '../domain/action-key';
import { type ClaimToken, proves } from '../domain/claim-token';
import { type ClaimCommand, type Command } from '../domain/commands';
import { decide } from '../domain/decide';
import { type Change, type Decision, type Situation } from '../domain/decision';
import { type Operation } from '../domain/policy';
import { Problem } from '../domain/problem';
import { STATE_CODES } from '../domain/states';
import { type Database } from './database';
import { unavailable } from './database-errors';
import { type EventAsk } from './event-parts';
import { logEventClaims } from './log-event-claims';
import { moveSubjectVersions } from './move-subject-versions';
import { type Operations } from './operations';
import { type ActionAt, readActions } from './read-actions';
import { type Write } from './change-record';
import { writeChanges, type Written } from './write-changes';

/** One command on its way to its answer. */
export interface Item {
  workspaceNo: number;
  actionId: string;
  command: Command;
  /** Proof that the command comes from a holder; checked against the action's secret. */
  token: ClaimToken | null;
  /** The event that the claim names, to be recorded with it. */
  event: Omit<EventAsk, 'decision'> | null;
  /** The event was recorded when this item was settled before; it is settled again after a wait. */
  eventRecorded: boolean;
  /** Filled in when it is settled. */
  settled: Settled | Problem | null;
}

export interface Settled {
  decision: Decision;
  /** The action as the decision leaves it; null where there is none. */
  action: Action | null;
  operation: Operation;
  /** The database's clock at the decision. */
  now: number;
  event: { deliveries: number; firstSeenAt: number } | null;
  newestVersion: number | null;
}

/** The commands on one action. Decided in their order of arrival, on what the one before left. */
interface Group {
  workspaceNo: number;
  id: string;
  items: Item[];
  /** What is taken to be there. Null is *not read yet*; what it says is proved by the write's fence. */
  known: ActionAt | null;
}

interface Planned {
  group: Group;
  item: Item;
  decision: Decision;
  change: Change;
  write: Write;
  /** Settled with the write: they were decided on what it leaves. */
  followers: { item: Item; decision: Decision }[];
  operation: Operation;
  newestVersion: number | null;
}

const MAX_ROUNDS = 300;

/**
 * Settles a batch of commands: read, decide (the domain's rules, pure), write behind a fence, and again for whatever had
 * moved in between. A first claim is not read at all: it is taken to be the first and the write proves it, which makes
 * it one round trip.
 *
 * Settled items keep their answer when this throws, so that a caller can go on with the rest.
 */
export class Settler {
  constructor(
    private readonly database: Database,
    private readonly operations: Operations,
  ) {}

  async settle(items: readonly Item[]): Promise<void> {
    const groups = this.group(items);
    for (let round = 0; groups.size > 0; round++) {
      if (round >= MAX_ROUNDS) throw unavailable(new Error(`Not settled after ${MAX_ROUNDS} rounds`));
      await this.round([...groups.values()]);
      for (const [id, group] of groups) {
        group.items = group.items.filter((item) => item.settled === null);
        if (group.items.length === 0) groups.delete(id);
      }
    }
  }

  private group(items: readonly Item[]): Map<string, Group> {
    const groups = new Map<string, Group>();
    for (const item of items) {
      if (item.settled !== null) continue;
      const id = `${item.workspaceNo}:${item.actionId}`;
      const group = groups.get(id);
      if (group === undefined) {
        groups.set(id, { workspaceNo: item.workspaceNo, id: item.actionId, items: [item], known: null });
      } else {
        group.items.push(item);
      }
    }
    return groups;
  }

  private async round(groups: readonly Group[]): Promise<void> {
    await this.ensureOperations(groups);
    const unread: Group[] = [];
    for (const group of groups) {
      if (group.known !== null) continue;
      if (this.mayAssumeNone(group)) group.known = { action: null, now: Date.now() };
      else unread.push(group);
    }
    if (unread.length > 0) {
      const read = await readActions(
        this.database,
        unread.map(({ workspaceNo, id }) => ({ workspaceNo, id })),
      );
      unread.forEach((group, index) => (group.known = read[index] ?? null));
      await this.ensureOperations(groups);
    }
    const newest = await this.newestVersions(groups);
    const planned: Planned[] = [];
    const unchanged: { item: Item; settled: Settled }[] = [];
    for (const group of groups) {
      const plan = this.plan(group, newest, unchanged);
      if (plan !== null) planned.push(plan);
    }
    await this.log(unchanged);
    await this.write(planned);
  }

  /** Only a claim or registration that needs nothing read: no clock, no subject version. */
  private mayAssumeNone(group: Group): boolean {
    return group.items.every(({ command }) => {
      if (command.kind === 'register') return true;
      if (command.kind !== 'claim' || command.subjectVersion !== null) return false;
      const operation = this.operations.get({ workspaceNo: group.workspaceNo, name: command.key.operation });
      return operation !== undefined && operation.policy.replayWindowDays === null && !this.tried.has(group);
    });
  }

  /** Groups whose assumption was refuted once: they are read from then on. */
  private readonly tried = new WeakSet<Group>();

  private async ensureOperations(groups: readonly Group[]): Promise<void> {
    const names = groups.flatMap(({ workspaceNo, items, known }) => {
      const named = items[0] !== undefined && 'key' in items[0].command ? items[0].command.key.operation : undefined;
      const name = known?.action?.key.operation ?? named;
      return name === undefined ? [] : [{ workspaceNo, name }];
    });
    await this.operations.ensure(names);
  }

  /** Claims that name a subject version move their stream first, unless they are refused for another reason. */
  private async newestVersions(groups: readonly Group[]): Promise<Map<Item, number | null>> {
    const claims: { item: Item; streamId: string; workspaceNo: number; command: ClaimCommand }[] = [];
    for (const group of groups) {
      for (const item of group.items) {
        if (item.command.kind !== 'claim' || item.command.subjectVersion === null) continue;
        const operation = this.operationOf(group, item);
        if (operation === undefined) continue;
        const { answer } = decide(this.situation(group, item.command, operation, null));
        if (answer === 'mismatch' || answer === 'too_old') continue;
        claims.push({ item, streamId: streamId(item.command), workspaceNo: group.workspaceNo, command: item.command });
      }
    }
    const newest = await moveSubjectVersions(
      this.database,
      claims.flatMap(({ workspaceNo, streamId: id, command: { subjectVersion: version } }) =>
        version === null ? [] : [{ workspaceNo, streamId: id, version }],
      ),
    );
    const byItem = new Map<Item, number | null>();
    claims.forEach(({ item, command }, index) => {
      const found = newest[index] ?? null;
      if (found === 'mixed') {
        item.settled = new Problem(
          'subject_version_mixed',
          `The stream "${command.subjectVersion?.stream ?? ''}" of this subject counts otherwise (sequence or time) than this claim. Nothing was claimed.`,
          { field: 'subjectVersion', hint: 'Use one kind of version in a stream, or name another stream.' },
        );
      } else {
        byItem.set(item, found?.value ?? null);
      }
    });
    return byItem;
  }

  private operationOf(group: Group, item: Item): Operation | undefined {
    const name = group.known?.action?.key.operation ?? ('key' in item.command ? item.command.key.operation : undefined);
    return name === undefined ? undefined : this.operations.get({ workspaceNo: group.workspaceNo, name });
  }

  private situation(group: Group, command: Command, operation: Operation, newestVersion: number | null): Situation {
    const known = group.known ?? { action: null, now: 0 };
    return {
      command,
      action: known.action,
      now: known.now,
      policy: operation.policy,
      operationNo: operation.no,
      workspaceNo: group.workspaceNo,
      actionId: group.id,
      newestVersion,
      randomUuid: randomUUID,
    };
  }

  /** Decides the group's items in order, up to its second change: one change an action and round, so that its history has an order. */
  private plan(
    group: Group,
    newest: ReadonlyMap<Item, number | null>,
    unchanged: { item: Item; settled: Settled }[],
  ): Planned | null {
    let plan: Planned | null = null;
    let current = group.known;
    for (const item of group.items) {
      if (item.settled !== null || current === null) continue;
      const operation = this.operationOf(group, item);
      const refusal = refuse(item, current.action);
      if (refusal !== null) {
        item.settled = refusal;
        continue;
      }
      if (operation === undefined) return plan; // forgotten meanwhile; the next round reads it again
      const newestVersion = newest.get(item) ?? null;
      const situation = { ...this.situation(group, item.command, operation, newestVersion), action: current.action };
      const decision = decide(situation);
      const settled: Settled = {
        decision,
        action: current.action,
        operation,
        now: current.now,
        event: null,
        newestVersion,
      };
      if (decision.change === null) {
        if (plan === null) unchanged.push({ item, settled });
        else plan.followers.push({ item, decision });
        continue;
      }
      if (plan !== null) break;
      plan = {
        group,
        item,
        decision,
        change: decision.change,
        write: writeOf(item, decision, decision.change, current.action, operation),
        followers: [],
        operation,
        newestVersion,
      };
      if (decision.again) break;
      current = { action: decision.change.next, now: current.now };
    }
    return plan;
  }

  /** Records the events of answers that changed nothing, and settles them. A call's repetition is not counted again. */
  private async log(answered: readonly { item: Item; settled: Settled }[]): Promise<void> {
    const asking = answered.flatMap(({ item, settled }) => {
      const { event, workspaceNo: workspace_no, actionId: id } = item;
      const { decision, action } = settled;
      if (event === null) return [];
      const ask = { ...event, workspace_no, id, decision: decision.answer, attempt: action?.attempt ?? 0 };
      return [{ settled, ask, count: !decision.replayed && !item.eventRecorded }];
    });
    const events = await logEventClaims(this.database, asking);
    asking.forEach(({ settled }, index) => (settled.event = events[index] ?? null));
    for (const { item, settled } of answered) item.settled = settled;
  }

  private async write(planned: readonly Planned[]): Promise<void> {
    if (planned.length === 0) return;
    const results = await writeChanges(
      this.database,
      planned.map(({ write }) => write),
    );
    const waiting: { item: Item; settled: Settled }[] = [];
    planned.forEach((plan, index) => {
      const written = results[index] ?? null;
      if (written === null) {
        // Something moved since it was read, or was there after all: read everything that the decision rested on again.
        plan.group.known = null;
        this.tried.add(plan.group);
        this.operations.forget(plan.operation);
        return;
      }
      const action = asWritten(plan.change.next, plan.write.expected, written);
      plan.group.known = { action, now: written.now };
      const { decision, operation, newestVersion } = plan;
      const settled: Settled = { decision, action, operation, now: written.now, event: written.event, newestVersion };
      if (decision.replayed) waiting.push({ item: plan.item, settled });
      else if (!decision.again) plan.item.settled = settled;
      for (const { item, decision: followed } of plan.followers) {
        waiting.push({ item, settled: { ...settled, decision: followed, event: null, newestVersion: null } });
      }
    });
    await this.log(waiting);
  }
}

/** What the write made of the action: its number, its revision, and the times that only the database knows. */
function asWritten(next: Action, expected: number, written: Written): Action {
  return {
    ...next,
    no: written.no,
    revision: expected + 1,
    open: next.open === null || written.dueAt === null ? next.open : { ...next.open, dueAt: written.dueAt },
  };
}

function streamId({ key, subjectVersion }: ClaimCommand): string {
  return digestUuid('stream', key.account, key.subject, subjectVersion?.stream ?? '');
}

function writeOf(item: Item, decision: Decision, change: Change, before: Action | null, operation: Operation): Write {
  const { command } = item;
  const grants = command.kind === 'claim' && decision.answer === 'proceed' && !decision.replayed;
  return {
    change,
    before:
      before === null
        ? null
        : {
            state: STATE_CODES[before.state],
            references: before.references,
            idempotencyKey: before.idempotencyKey,
          },
    expected: before?.revision ?? 0,
    policyRevision: operation.revision,
    stream:
      grants && command.subjectVersion !== null ? { id: streamId(command), value: command.subjectVersion.value } : null,
    event:
      item.event === null || item.eventRecorded || decision.again || decision.replayed
        ? null
        : { ...item.event, decision: decision.answer },
  };
}

function keyOf(command: Command): ActionKey | undefined {
  if ('key' in command) return command.key;
  return command.kind === 'release' && 'key' in command.claim ? command.claim.key : undefined;
}

/** What no decision may be made on: another action under the same identity, or a token that proves nothing. */
function refuse(item: Item, action: Action | null): Problem | null {
  const { command, token } = item;
  if (token !== null) {
    if (action === null || token.attempt > action.attempt || !proves(token, action.secret)) {
      return new Problem('claim_token_unknown', 'No claim of this workspace has this token. Nothing was recorded.', {
        field: 'claimToken',
        hint: 'Send the claimToken of a claim that was made with an API key of the same workspace.',
      });
    }
  } else if (action !== null && keyOf(command) !== undefined && !sameKey(keyOf(command) ?? action.key, action.key)) {
    return new Problem('key_collision', 'Another action has the same identity. Nothing was claimed.', {
      hint: 'Report this: it should never happen. Another version or account of the action has another identity.',
    });
  } else if (action === null && command.kind !== 'claim' && command.kind !== 'register') {
    return new Problem('action_unknown', 'There is no such action in this workspace. Nothing was changed.');
  }
  return null;
}
