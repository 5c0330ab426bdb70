import { randomUUID } from 'node:crypto';

import { type Action } from '../domain/action';
import * as answers from '../domain/answers';
import { type ClaimToken } from '../domain/claim-token';
import { type Command } from '../domain/commands';
import type { Problem } from '../domain/problem';
import * as requests from '../domain/requests';
import * as resolutions from '../domain/resolutions';
import { ApiKeys } from './api-keys';
import { Batcher } from './batcher';
import {
  attempt,
  bounded,
  eventAsk,
  isItem,
  itemOf,
  outcomeOf,
  type Requests,
  type Results,
  resultsOf,
  settledOf,
} from './call-items';
import { Changes } from './changes';
import { Database } from './database';
import { heldBy, overdueLeases } from './find-leases';
import { type Item, type Settled } from './item';
import { ledgerId } from './migrate';
import { Operations } from './operations';
import { pausePoint } from './pause-point';
import { Reading } from './reading';
import { Retention } from './retention';
import { type ActionSearch, searchActions } from './search-actions';
import { Settler } from './settle-commands';
import { claimAndWait } from './wait-for-outcome';
import { type WakeUpLog } from './wake-up-log';

export interface LedgerOptions {
  databaseUrl: string;
  /** For LISTEN; a connection that no pooler stands in front of. */
  directUrl?: string;
  /** Wakes claims that wait across replicas, where LISTEN cannot. */
  redisUrl?: string;
  /** For outages of what wakes waiting claims. */
  log?: WakeUpLog;
  onBatch?: (kind: 'claims' | 'ends', size: number) => void;
  onError?: (error: unknown, item: Item) => void;
}

export interface ClaimCall {
  requestToken?: string | null;
  /** How long to wait while another holder is at it, in milliseconds; 0 answers at once. */
  waitMs?: number;
  /** Ends the waiting, when the caller went away. */
  signal?: AbortSignal;
  claims: Requests<requests.ClaimRequest>;
  /** Told how long the call waited, in milliseconds, before what it is answered was decided. */
  onWaited?: (waitedMs: number) => void;
}

/**
 * The ledger: what may be asked of it, over one PostgreSQL. Every command goes through a batcher; every answer comes
 * from what the database holds.
 */
export class Ledger {
  readonly database: Database;
  readonly operations: Operations;
  readonly apiKeys: ApiKeys;
  readonly reading: Reading;
  readonly retention: Retention;
  private readonly changes: Changes;
  private readonly claims: Batcher;
  private readonly ends: Batcher;
  private identity: string | null = null;

  constructor({ databaseUrl, directUrl = databaseUrl, redisUrl, log, onBatch, onError }: LedgerOptions) {
    this.database = new Database({ url: databaseUrl });
    this.operations = new Operations(this.database);
    this.apiKeys = new ApiKeys(this.database);
    this.reading = new Reading(this.database);
    this.retention = new Retention(this.database);
    this.changes = new Changes({
      directUrl,
      notify: (channel, payload) => this.database.query('SELECT pg_notify($1, $2)', [channel, payload]),
      redisUrl,
      ledgerId: () => this.id(),
      log,
    });
    const settler = new Settler(this.database, this.operations, (actionIds) => {
      this.changes.wrote(actionIds);
    });
    const batcher = (kind: 'claims' | 'ends'): Batcher =>
      new Batcher({
        settle: (items, settled) => settler.settle(items, settled),
        onBatch: (size) => onBatch?.(kind, size),
        ...(onError === undefined ? {} : { onError }),
      });
    // Receipts must not queue behind claims: who has acted is heard first.
    this.claims = batcher('claims');
    this.ends = batcher('ends');
  }

  /** One page of actions, and where the next one begins. */
  async search(workspaceNo: number, search: ActionSearch): Promise<{ actions: Action[]; nextCursor: string | null }> {
    return searchActions(this.database, workspaceNo, search);
  }

  /** The ledger's identity, read once: it never changes. */
  async id(): Promise<string> {
    this.identity ??= await ledgerId(this.database);
    return this.identity;
  }

  start(): void {
    this.changes.start();
  }

  async stop(): Promise<void> {
    await this.changes.stop();
    await this.database.end();
  }

  /** By which ways waiting claims are told of the changes of other replicas; Redis is null where none was asked for. */
  get wakeUps(): { listening: boolean; redis: boolean | null } {
    return { listening: this.changes.listening, redis: this.changes.redisUp };
  }

  /** Items that wait for a batch, for the metrics. */
  get waiting(): { claims: number; ends: number } {
    return { claims: this.claims.waitingCount, ends: this.ends.waitingCount };
  }

  async claim(workspaceNo: number, call: ClaimCall): Promise<Results<answers.ClaimAnswer>> {
    const id = requests.callId(call.requestToken ?? randomUUID());
    const made = call.claims.map((request, position) =>
      attempt(request, (request) => {
        const { command, actionId, event } = requests.claimCommand(request, { id, position });
        return itemOf(workspaceNo, actionId, command, null, event === null ? null : eventAsk(event));
      }),
    );
    const items = made.filter(isItem);
    const submit = (some: readonly Item[]): Promise<void> => this.claims.submit(some);
    if (call.waitMs === undefined || call.waitMs === 0) await submit(items);
    else {
      const waitedMs = await claimAndWait({
        items,
        callId: id,
        waitMs: call.waitMs,
        signal: call.signal,
        changes: this.changes,
        submit,
      });
      call.onWaited?.(waitedMs);
    }
    return resultsOf(made, answers.claimAnswer);
  }

  async register(
    workspaceNo: number,
    actions: Requests<requests.RegisterRequest>,
  ): Promise<Results<answers.RegisterAnswer>> {
    const made = actions.map((request) =>
      attempt(request, (request) => {
        const { command, actionId } = requests.registerCommand(request);
        return itemOf(workspaceNo, actionId, command, null, null);
      }),
    );
    return this.run(this.claims, made, answers.registerAnswer);
  }

  async receipts(
    workspaceNo: number,
    receipts: Requests<requests.ReceiptRequest>,
  ): Promise<Results<answers.ReceiptAnswer>> {
    return this.ofHolder(workspaceNo, receipts, requests.receiptCommand, answers.receiptAnswer);
  }

  async heartbeats(
    workspaceNo: number,
    heartbeats: Requests<{ claimToken: string }>,
  ): Promise<Results<answers.HeartbeatAnswer>> {
    return this.ofHolder(workspaceNo, heartbeats, requests.heartbeatCommand, answers.heartbeatAnswer);
  }

  /** By claim token, or by the request token of a claim whose answer was lost. */
  async releases(
    workspaceNo: number,
    releases: Requests<requests.ReleaseRequest>,
  ): Promise<Results<answers.ReleaseAnswer>> {
    const made = releases.map((request) =>
      attempt(request, (request) => {
        if (request.claimToken !== undefined) {
          const { command, token } = requests.releaseCommand(request);
          return itemOf(workspaceNo, token.actionId, command, token, null);
        }
        const { command, actionId } = requests.releaseOfCallCommand(request);
        return itemOf(workspaceNo, actionId, command, null, null);
      }),
    );
    return this.run(this.ends, bounded(made), answers.releaseAnswer);
  }

  /** Everything that this execution still holds becomes unknown. */
  async endExecution(
    workspaceNo: number,
    request: requests.EndedRequest,
  ): Promise<{ actionId: string; actionKey: string | null; state: string | null }[]> {
    const command = requests.abandonCommand(request);
    const held = await heldBy(this.database, workspaceNo, command.holderId);
    await pausePoint('held claims found');
    const made = held.map((id) => itemOf(workspaceNo, id, command, null, null));
    await this.ends.submit(made);
    return made.flatMap((item) => {
      const settled = settledOf(item);
      if (settled.decision.answer !== 'abandoned') return [];
      const { actionId, actionKey, state } = answers.actionFacts(outcomeOf(item, settled));
      return [{ actionId, actionKey, state }];
    });
  }

  /** Ends the leases that are over. Several ledgers may do so at once. Answers how many were ended here. */
  async sweep(limit = 200): Promise<number> {
    const overdue = await overdueLeases(this.database, limit);
    await pausePoint('overdue leases found');
    const made = overdue.map(({ workspaceNo, id }) => itemOf(workspaceNo, id, { kind: 'sweep' }, null, null));
    await this.ends.submit(made);
    return made.filter((item) => settledOf(item).decision.answer === 'swept').length;
  }

  /** The owner's side: a resolution behind its fence. Throws a Problem where it is refused. */
  async resolve(
    workspaceNo: number,
    id: string,
    request: requests.ResolutionRequest,
    keyName: string,
  ): Promise<{ settled: Settled; warnings: string[] }> {
    const command = requests.reconcileCommand(request, keyName);
    const settled = await this.one(workspaceNo, id, command);
    return { settled, warnings: resolutions.warnings(command, settled) };
  }

  async override(workspaceNo: number, id: string, request: requests.OverrideRequest): Promise<Settled> {
    return this.one(workspaceNo, id, requests.overrideCommand(request));
  }

  private async one(workspaceNo: number, id: string, command: Command): Promise<Settled> {
    const item = itemOf(workspaceNo, id, command, null, null);
    await this.ends.submit([item]);
    const settled = settledOf(item);
    const refusal = resolutions.refusal(command, settled);
    if (refusal !== null) throw refusal;
    return settled;
  }

  private async ofHolder<R, A>(
    workspaceNo: number,
    given: Requests<R>,
    make: (request: R) => { command: Command; token: ClaimToken },
    answer: (outcome: answers.Outcome<unknown>) => A,
  ): Promise<Results<A>> {
    const made = given.map((request) =>
      attempt(request, (request) => {
        const { command, token } = make(request);
        return itemOf(workspaceNo, token.actionId, command, token, null);
      }),
    );
    return this.run(this.ends, bounded(made), answer);
  }

  private async run<A>(
    batcher: Batcher,
    made: readonly (Item | Problem)[],
    answer: (outcome: answers.Outcome<unknown>) => A,
  ): Promise<Results<A>> {
    await batcher.submit(made.filter(isItem));
    return resultsOf(made, answer);
  }
}
