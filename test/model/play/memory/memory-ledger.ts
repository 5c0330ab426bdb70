import { randomUUID } from 'node:crypto';

import { actionView } from '../../../../ledger-service/src/domain/action-view';
import * as answers from '../../../../ledger-service/src/domain/answers';
import { type ClaimToken, proves } from '../../../../ledger-service/src/domain/claim-token';
import { type ClaimCommand, type Command } from '../../../../ledger-service/src/domain/commands';
import { changedPolicy, type PolicyChange } from '../../../../ledger-service/src/domain/policy-change';
import { Problem } from '../../../../ledger-service/src/domain/problem';
import * as requests from '../../../../ledger-service/src/domain/requests';
import { refusal, warnings } from '../../../../ledger-service/src/domain/resolutions';
import { KEY_NAME } from '../../reference/reconciliation';
import { type Answered, type LedgerUnderTest, type Request } from '../ledger-under-test';
import { AskedEvents } from './asked-events';
import { type Kept, KeptActions, outcomeOf, type Settled } from './kept-actions';
import { VersionStreams } from './version-streams';

// Bodies come as the HTTP interface takes them; its own check of their shape is not part of the rules.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Body = any;

const LEDGER_ID = '00000000-0000-4000-8000-000000000000';

/**
 * The service's rules alone: commands are made, decided and answered by its domain, and what a decision changes is kept
 * in memory. What its store does (events, streams, several workspaces) stands here in its plainest form. One command at a
 * time, on a clock that only moves when it is told to.
 */
export class MemoryLedger implements LedgerUnderTest {
  readonly agesActions = false;
  private readonly actions: KeptActions;
  private readonly events = new AskedEvents();
  private readonly streams = new VersionStreams();

  constructor(now: number) {
    this.actions = new KeptActions(now);
  }

  send(request: Request): Promise<Answered> {
    return Promise.resolve(this.answered(() => this.route(request)));
  }

  sweep(): Promise<Answered> {
    return Promise.resolve(
      this.answered(() => {
        const swept = ['default', 'second'].flatMap((workspace) =>
          this.keptOf(workspace).filter(({ action: { id } }) => {
            const { decision } = this.actions.settle(workspace, id, { kind: 'sweep' });
            return decision.answer === 'swept';
          }),
        );
        return { swept: swept.length };
      }),
    );
  }

  letLeaseRunOut(workspace: string, actionId: string): Promise<number> {
    const { open } = this.kept(workspace, actionId).action;
    open!.dueAt = Math.min(open!.dueAt, this.actions.now);
    return Promise.resolve(open!.dueAt);
  }

  letPass(ms: number): Promise<void> {
    this.actions.now += ms;
    return Promise.resolve();
  }

  openItem(workspace: string, actionId: string): Promise<unknown> {
    const { open } = this.kept(workspace, actionId).action;
    if (open === null) return Promise.resolve(null);
    const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
    const { dueAt, reviewBy, settleFrom, owner } = open;
    return Promise.resolve({ dueAt: iso(dueAt), reviewBy: iso(reviewBy), settleFrom: iso(settleFrom), owner });
  }

  private answered(make: () => object): Answered {
    const clock = { from: this.actions.now, to: this.actions.now };
    // As it would come over the wire.
    const wire = (body: object): unknown => JSON.parse(JSON.stringify(body));
    try {
      return { status: 200, body: wire(make()), clock };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { status: error.status, body: wire(problemBody(error)), clock };
    }
  }

  private route({ workspace, path, body: given }: Request): object {
    const [, , collection, id = '', part] = path.split('/');
    const body = given as Body;
    const each = (list: Body[], one: (item: Body) => object): object => ({
      ledgerId: LEDGER_ID,
      results: list.map((item) => inPlace(() => one(item))),
    });
    switch (`${collection}${part === undefined ? '' : ` ${part}`}`) {
      case 'claims':
        return { ledgerId: LEDGER_ID, waitedMs: 0, results: this.claims(workspace, body) };
      case 'heartbeats':
        return each(body.heartbeats, (item) => this.heartbeat(workspace, item));
      case 'releases':
        return each(body.releases, (item) => this.release(workspace, item));
      case 'receipts':
        return each(body.receipts, (item) => this.receipt(workspace, item));
      case 'operations':
        return this.configure(workspace, id, body);
      case 'actions':
        return id === '' ? each(body.actions, (item) => this.register(workspace, item)) : this.view(workspace, id);
      case 'actions history':
        return this.history(workspace, id);
      case 'actions resolution':
        return this.resolve(workspace, id, body);
      case 'actions override':
        return { result: 'overridden', action: this.owners(workspace, id, requests.overrideCommand(body)).view };
      default:
        return { ledgerId: LEDGER_ID, abandoned: this.end(workspace, body) };
    }
  }

  private kept(workspace: string, actionId: string): Kept {
    const kept = this.actions.kept.get(this.actions.nameOf(workspace, actionId));
    if (kept === undefined) throw new Problem('action_unknown', 'There is no such action.');
    return kept;
  }

  private keptOf(workspace: string): Kept[] {
    const no = this.actions.workspaceNo(workspace);
    return [...this.actions.kept.values()].filter(({ action }) => action.workspaceNo === no);
  }

  private claims(workspace: string, { requestToken, claims }: Body): object[] {
    const id = requests.callId((requestToken as string | undefined) ?? randomUUID());
    const made = (claims as Body[]).map((claim, position) => {
      try {
        return requests.claimCommand(claim, { id, position });
      } catch (error) {
        if (error instanceof Problem) return error;
        throw error;
      }
    });
    const moving: ClaimCommand[] = [];
    const mismatched = new Set<ClaimCommand>();
    for (const one of made) {
      if (one instanceof Problem || one.command.subjectVersion === null) continue;
      const answer = this.actions.answerBefore(workspace, one.actionId, one.command);
      if (answer === 'mismatch') mismatched.add(one.command);
      else if (answer !== 'too_old') moving.push(one.command);
    }
    this.streams.move(workspace, moving, this.actions.now);
    return made.map((one) =>
      inPlace(() => {
        if (one instanceof Problem) throw one;
        const { command, actionId, event } = one;
        const newest = mismatched.has(command) ? null : this.streams.newest(workspace, command);
        if (newest === 'mixed') throw new Problem('subject_version_mixed', 'The stream counts otherwise.');
        const settled = this.actions.settle(workspace, actionId, command, newest);
        const name = this.actions.nameOf(workspace, actionId);
        const { now } = this.actions;
        const count = event === null ? null : this.events.count(workspace, name, event, settled.decision, now);
        return answers.claimAnswer(outcomeOf(command, actionId, settled, count));
      }),
    );
  }

  private register(workspace: string, item: Body): object {
    const { command, actionId } = requests.registerCommand(item);
    return answers.registerAnswer(outcomeOf(command, actionId, this.actions.settle(workspace, actionId, command)));
  }

  private ofHolder(
    workspace: string,
    { command, token }: { command: Command; token: ClaimToken },
  ): answers.Outcome<never> {
    const action = this.actions.kept.get(this.actions.nameOf(workspace, token.actionId))?.action;
    if (action === undefined || token.attempt > action.attempt || !proves(token, action.secret)) {
      throw new Problem('claim_token_unknown', 'No claim of this workspace has this token.');
    }
    return outcomeOf(command, token.actionId, this.actions.settle(workspace, token.actionId, command));
  }

  private heartbeat(workspace: string, item: Body): object {
    return answers.heartbeatAnswer(this.ofHolder(workspace, requests.heartbeatCommand(item)));
  }

  private receipt(workspace: string, item: Body): object {
    return answers.receiptAnswer(this.ofHolder(workspace, requests.receiptCommand(item)));
  }

  private release(workspace: string, item: Body): object {
    if (item.claimToken !== undefined) {
      return answers.releaseAnswer(this.ofHolder(workspace, requests.releaseCommand(item)));
    }
    const { command, actionId } = requests.releaseOfCallCommand(item);
    this.kept(workspace, actionId);
    return answers.releaseAnswer(outcomeOf(command, actionId, this.actions.settle(workspace, actionId, command)));
  }

  private end(workspace: string, body: Body): object[] {
    const command = requests.abandonCommand(body);
    return this.keptOf(workspace).flatMap(({ action: { id } }) => {
      const settled = this.actions.settle(workspace, id, command);
      if (settled.decision.answer !== 'abandoned') return [];
      const { actionId, actionKey, state } = answers.actionFacts(outcomeOf(command, id, settled));
      return [{ actionId, actionKey, state }];
    });
  }

  private owners(workspace: string, id: string, command: Command): Settled & { view: object } {
    const settled = this.actions.settle(workspace, id, command);
    const refused = refusal(command, settled);
    if (refused !== null) throw refused;
    return { ...settled, view: actionView(settled.action!, settled.operation.policy) };
  }

  private resolve(workspace: string, id: string, body: Body): object {
    const command = requests.reconcileCommand(body, KEY_NAME);
    const settled = this.owners(workspace, id, command);
    return { result: 'resolved', warnings: warnings(command, settled), action: settled.view };
  }

  private configure(workspace: string, name: string, { revision = null, ...given }: Body): object {
    const operation = this.actions.operation(this.actions.workspaceNo(workspace), decodeURIComponent(name));
    const change = JSON.parse(JSON.stringify(given)) as PolicyChange;
    const policy = changedPolicy(operation, change, revision as number | null);
    const saved =
      policy === null ? operation : { ...operation, configured: true, revision: operation.revision + 1, policy };
    this.actions.save(saved);
    return { name: saved.name, configured: saved.configured, revision: saved.revision, ...saved.policy };
  }

  private view(workspace: string, id: string): object {
    const { action } = this.kept(workspace, id);
    const { policy } = this.actions.operation(action.workspaceNo, action.key.operation);
    const events = this.events.views(workspace, this.actions.nameOf(workspace, id));
    return { ...actionView(action, policy), events };
  }

  /** There is no chain here; its members are filled in so that the rest can be compared. */
  private history(workspace: string, id: string): object {
    const entries = this.kept(workspace, id).entries.map(({ at, from, to, ...entry }, index) => ({
      seq: index + 1,
      at: new Date(at).toISOString(),
      ...entry,
      fromState: from,
      toState: to,
      detailsErased: false,
      digest: '0'.repeat(64),
    }));
    return { verified: true, entries };
  }
}

const problemBody = ({ code, status, message, field, hint, facts }: Problem): object => ({
  ...facts,
  status,
  code,
  detail: message,
  field,
  hint,
});

function inPlace(make: () => object): object {
  try {
    return make();
  } catch (error) {
    if (error instanceof Problem) return { error: problemBody(error) };
    throw error;
  }
}
