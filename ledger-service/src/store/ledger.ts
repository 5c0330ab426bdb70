import { randomUUID } from 'node:crypto';

import { type Action } from '../domain/action';
import * as answers from '../domain/answers';
import { type ClaimToken } from '../domain/claim-token';
import { type Command } from '../domain/commands';
import { Problem } from '../domain/problem';
import * as requests from '../domain/requests';
import * as resolutions from '../domain/resolutions';
import { ApiKeys } from './api-keys';
import { Batcher } from './batcher';
import { Changes } from './changes';
import { Database } from './database';
import { type EventAsk } from './event-parts';
import { heldBy, overdueLeases } from './find-leases';
import { type Item, type Settled } from './item';
import { ledgerId } from './migrate';
import { Operations } from './operations';
import { Reading } from './reading';
import { type ActionSearch, searchActions } from './search-actions';
import { Settler } from './settle-commands';
import { claimAndWait } from './wait-for-outcome';

export interface LedgerOptions {
  databaseUrl: string;
  /** For LISTEN; a connection that no pooler stands in front of. */
  directUrl?: string;
  onBatch?: (kind: 'claims' | 'ends', size: number) => void;
  onError?: (error: unknown, item: Item) => void;
}

/** What each item of a call is answered: an answer, or the problem in its place. */
export type Results<A> = (A | Problem)[];
/** The items of a call in their order; one that the transport refused already stands there as its problem. */
export type Requests<R> = readonly (R | Problem)[];

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
  private readonly changes: Changes;
  private readonly claims: Batcher;
  private readonly ends: Batcher;
  private identity: string | null = null;

  constructor({ databaseUrl, directUrl = databaseUrl, onBatch, onError }: LedgerOptions) {
    this.database = new Database({ url: databaseUrl });
    this.operations = new Operations(this.database);
    this.apiKeys = new ApiKeys(this.database);
    this.reading = new Reading(this.database);
    this.changes = new Changes(directUrl);
    const settler = new Settler(this.database, this.operations);
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

function itemOf(
  workspaceNo: number,
  id: string,
  command: Command,
  token: ClaimToken | null,
  event: Item['event'],
): Item {
  return { workspaceNo, actionId: id, command, token, event, eventRecorded: false, settled: null };
}

const eventAsk = (event: requests.EventName): Omit<EventAsk, 'decision'> => ({
  event_id: event.id,
  event_source: event.source,
  event_name: event.eventId,
  event_at: event.occurredAt,
});

const isItem = (made: Item | Problem): made is Item => !(made instanceof Problem);

/** A request that is wrong by itself is answered in its place; its neighbours go on. */
function attempt<R>(request: R | Problem, make: (request: R) => Item): Item | Problem {
  if (request instanceof Problem) return request;
  try {
    return make(request);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Each change of one action is a round of its own, which its neighbours in a batch wait for. */
const MAX_PER_ACTION = 20;

/** Refuses what a call asks of one action beyond the bound. */
function bounded(made: readonly (Item | Problem)[]): (Item | Problem)[] {
  const counts = new Map<string, number>();
  return made.map((item) => {
    if (item instanceof Problem) return item;
    const count = (counts.get(item.actionId) ?? 0) + 1;
    counts.set(item.actionId, count);
    if (count <= MAX_PER_ACTION) return item;
    return new Problem(
      'payload_too_large',
      `More than ${MAX_PER_ACTION} items of this call are for one action. This one was not recorded.`,
      { hint: 'Send the others in further calls.' },
    );
  });
}

function settledOf(item: Item): Settled {
  if (item.settled === null) throw new Error('The item was not settled');
  if (item.settled instanceof Problem) throw item.settled;
  return item.settled;
}

function outcomeOf(item: Item, settled: Settled): answers.Outcome<never> {
  const { decision, action, operation, now, event, newestVersion } = settled;
  return {
    command: item.command as never,
    actionId: item.actionId,
    decision,
    action,
    policy: operation.policy,
    operationConfigured: operation.configured,
    now,
    event,
    newestVersion,
  };
}

/** A ledger that cannot decide answers the whole call so: a caller must not read part of it as a refusal. */
function resultsOf<A>(made: readonly (Item | Problem)[], answer: (outcome: answers.Outcome<never>) => A): Results<A> {
  return made.map((item) => {
    if (item instanceof Problem) return item;
    if (item.settled instanceof Problem) {
      if (item.settled.code === 'ledger_unavailable') throw item.settled;
      return item.settled;
    }
    return answer(outcomeOf(item, settledOf(item)));
  });
}
