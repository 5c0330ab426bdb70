import { randomUUID } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import { type Action } from '../domain/action';
import { type Command } from '../domain/commands';
import { decide } from '../domain/decide';
import { type Situation } from '../domain/decision';
import { type Operation } from '../domain/policy';
import { type Database } from './database';
import { unavailable } from './database-errors';
import { type Item, type Settled } from './item';
import { logEventClaims } from './log-event-claims';
import { type OperationName, type Operations } from './operations';
import { pausePoint } from './pause-point';
import { asWritten, endsAttempt, type Group, type Planned, writeOf } from './planned-write';
import { readActions } from './read-actions';
import { refuseItem } from './refuse-item';
import { newestVersions, type VersionedClaim } from './subject-streams';
import { writeChanges } from './write-changes';

const MAX_ROUNDS = 300;
const MAX_SEEN = 50_000;

/**
 * Settles a batch of commands: read, decide (the domain's rules, pure), write behind a fence, and again for whatever had
 * moved in between. A first claim is not read at all: it is taken to be the first and the write proves it, which makes
 * it one round trip.
 *
 * Settled items keep their answer when this throws, so that a caller can go on with the rest.
 */
export class Settler {
  /** Actions that are known to exist, lately seen: they are read at once. A hint, which decides nothing. */
  private readonly seen = new LRUCache<string, true>({ max: MAX_SEEN });

  constructor(
    private readonly database: Database,
    private readonly operations: Operations,
    /** Told of the actions that were written and are no longer in progress. */
    private readonly onEnded: (actionIds: readonly string[]) => void = () => undefined,
  ) {}

  async settle(items: readonly Item[], settled: () => void = () => undefined): Promise<void> {
    const groups = this.group(items);
    for (let round = 0; groups.size > 0; round++) {
      if (round >= MAX_ROUNDS) throw unavailable(new Error(`Not settled after ${MAX_ROUNDS} rounds`));
      await this.round([...groups.values()]);
      await pausePoint('round over');
      settled();
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
      const name = `${item.workspaceNo}:${item.actionId}`;
      const group = groups.get(name);
      if (group === undefined) {
        groups.set(name, {
          name,
          workspaceNo: item.workspaceNo,
          id: item.actionId,
          items: [item],
          known: null,
          mayBeNew: true,
          assumed: false,
        });
      } else {
        group.items.push(item);
      }
    }
    return groups;
  }

  private async round(groups: readonly Group[]): Promise<void> {
    await this.ensureOperations(groups);
    await pausePoint('operations ensured');
    const unread: Group[] = [];
    for (const group of groups) {
      group.assumed = this.mayAssumeNone(group);
      // The clock is of no account here: what is written takes the database's, and nothing else is decided by it.
      if (group.assumed) group.known = { action: null, policyRevision: null, now: Date.now() };
      else unread.push(group);
    }
    if (unread.length > 0) {
      const read = await readActions(
        this.database,
        unread.map(({ workspaceNo, id, items }) => ({ workspaceNo, id, operation: operationNamed(items[0]) })),
      );
      await pausePoint('actions read');
      unread.forEach((group, index) => {
        group.known = read[index] ?? null;
        if (group.known?.action != null) this.seen.set(group.name, true);
        const name = this.operationName(group);
        // Somebody saved another policy since it was read here, perhaps through another replica.
        if (name !== null) this.operations.keepOnly(name, group.known?.policyRevision ?? null);
      });
      await this.ensureOperations(groups);
      await pausePoint('operations of the actions ensured');
    }
    const newest = await newestVersions(
      this.database,
      groups.flatMap((group) => this.versionedClaims(group)),
    );
    await pausePoint('newest versions known');
    const planned: Planned[] = [];
    const unchanged: { item: Item; settled: Settled }[] = [];
    for (const group of groups) {
      const plan = this.plan(group, newest, unchanged);
      if (plan !== null) planned.push(plan);
    }
    await pausePoint('decided');
    await this.log(unchanged);
    await pausePoint('unchanged answers logged');
    await this.write(planned);
  }

  /** Only a claim or registration that needs nothing read: no clock, no subject version. */
  private mayAssumeNone(group: Group): boolean {
    if (!group.mayBeNew || this.seen.has(group.name)) return false;
    return group.items.every(({ command }) => {
      if (command.kind === 'register') return true;
      if (command.kind !== 'claim' || command.subjectVersion !== null) return false;
      const operation = this.operations.get({ workspaceNo: group.workspaceNo, name: command.key.operation });
      return operation !== undefined && operation.policy.replayWindowDays === null;
    });
  }

  private async ensureOperations(groups: readonly Group[]): Promise<void> {
    await this.operations.ensure(groups.flatMap((group) => this.operationName(group) ?? []));
  }

  /** The operation of the group's action; null where only the action, which was not read yet, would tell. */
  private operationName({ workspaceNo, items, known }: Group): OperationName | null {
    const name = known?.action?.key.operation ?? operationNamed(items[0]);
    return name === null ? null : { workspaceNo, name };
  }

  /** Claims that name a version. Each moves its stream but one that is refused as too old. */
  private versionedClaims(group: Group): VersionedClaim[] {
    return group.items.flatMap((item) => {
      const { command } = item;
      const operation = this.operationOf(group);
      if (command.kind !== 'claim' || command.subjectVersion === null || operation === undefined) return [];
      const { answer } = decide(this.situation(group, command, operation, null));
      if (answer === 'mismatch') return [];
      return [{ item, command, version: command.subjectVersion, moves: answer !== 'too_old' }];
    });
  }

  private operationOf(group: Group): Operation | undefined {
    const name = this.operationName(group);
    return name === null ? undefined : this.operations.get(name);
  }

  private situation(
    group: Group,
    command: Command,
    operation: Operation,
    newestVersion: number | null,
    action: Action | null = group.known?.action ?? null,
  ): Situation {
    return {
      command,
      action,
      now: group.known?.now ?? 0,
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
    if (group.known === null) return null;
    const { now } = group.known;
    let { action } = group.known;
    let plan: Planned | null = null;
    for (const item of group.items) {
      if (item.settled !== null) continue;
      item.settled = refuseItem(item, action);
      if (item.settled !== null) continue;
      const operation = this.operationOf(group);
      if (operation === undefined) return plan; // forgotten meanwhile; the next round reads it again
      const newestVersion = newest.get(item) ?? null;
      const decision = decide(this.situation(group, item.command, operation, newestVersion, action));
      if (decision.change === null) {
        const settled: Settled = { decision, action, operation, now, event: null, newestVersion };
        if (plan === null) unchanged.push({ item, settled });
        else plan.followers.push({ item, decision, newestVersion });
        continue;
      }
      if (plan !== null) return plan;
      const write = writeOf(item, decision, decision.change, action, operation);
      plan = { group, item, decision, change: decision.change, write, followers: [], operation, newestVersion };
      if (decision.again) return plan;
      action = decision.change.next;
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
    await pausePoint('changes written');
    this.onEnded(
      planned.filter((plan, index) => results[index] != null && endsAttempt(plan)).map(({ group }) => group.id),
    );
    const waiting: { item: Item; settled: Settled }[] = [];
    planned.forEach((plan, index) => {
      const { group, decision, operation, newestVersion } = plan;
      const written = results[index] ?? null;
      group.mayBeNew = false;
      if (written === null) {
        // Something moved since it was read: everything that the decision rested on is read again.
        if (!group.assumed) this.operations.forget(operation);
        return;
      }
      this.seen.set(group.name, true);
      const action = asWritten(plan, written);
      const settled: Settled = { decision, action, operation, now: written.now, event: written.event, newestVersion };
      if (decision.replayed) waiting.push({ item: plan.item, settled });
      else if (!decision.again) plan.item.settled = settled;
      for (const { item, ...followed } of plan.followers) {
        waiting.push({ item, settled: { ...settled, ...followed, event: null } });
      }
    });
    await this.log(waiting);
    await pausePoint('followers logged');
  }
}

/** The operation that a command names; the others only name an action. */
function operationNamed(item: Item | undefined): string | null {
  return item !== undefined && 'key' in item.command ? item.command.key.operation : null;
}
