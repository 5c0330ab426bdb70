import { type ActionStory } from './reference/action-story';
import * as answers from './reference/answers';
import {
  type Ask,
  type ClaimItem,
  type ClaimsAsk,
  type EndedAsk,
  type OverrideAsk,
  type RegisterAsk,
  type ResolveAsk,
} from './reference/asks';
import * as claims from './reference/claims';
import { At, Form, Having, InAnyOrder, Sentence } from './reference/expected';
import { type Moment, type Reading } from './reference/moments';
import { configure } from './reference/operations';
import { receipt } from './reference/receipts';
import * as reconciliation from './reference/reconciliation';
import { DESIGN, type Rules } from './reference/rules';
import { moveStreams, newestOf } from './reference/subject-versions';
import { type Circumstances, type Decision } from './reference/transition';
import { type EventOfAction, keyAt, policyOf, type World } from './reference/world';

/** What a call must be answered: the status, and the body with placeholders for what only the ledger knows. */
export interface Reply {
  status: number;
  body: unknown;
}

const UUID = new Form(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/**
 * The ledger as the design tells it: plain rules over plain data, which share no code with the service. `answer` changes
 * the world as the command changes it and says what the answer must be.
 *
 * `clock` gives what is known of the ledger's clock at the command: a new reading for each action.
 */
export class ReferenceModel {
  constructor(private readonly rules: Rules = DESIGN) {}

  answer(world: World, ask: Ask, clock: () => Reading): Reply {
    switch (ask.kind) {
      case 'claims':
        return this.claims(world, ask, clock);
      case 'register':
        return this.register(world, ask, clock);
      case 'ended':
        return this.ended(world, ask, clock);
      case 'sweep':
        return this.sweep(world, clock);
      case 'resolve':
        return this.resolve(world, ask, clock);
      case 'override':
        return this.override(world, ask, clock);
      case 'configure':
        return configure(world, ask);
      default:
        return this.held(world, ask, clock);
    }
  }

  private at(world: World, place: number, now: Reading): Circumstances {
    return { now, policy: policyOf(world, place), rules: this.rules };
  }

  private claims(world: World, { items, requestToken }: ClaimsAsk, clock: () => Reading): Reply {
    const readings = items.map(() => clock());
    const versioned = items.flatMap((item, index) => {
      const version = item?.subjectVersion;
      if (item === null || version === undefined) return [];
      if (claims.otherDetails(world.actions[item.key] ?? null, item.details)) return [];
      const given = { ...this.at(world, item.key, readings[index]!), newestVersion: null };
      const moves = !claims.isTooOld(world.actions[item.key] ?? null, item, given);
      return [{ item, version, moves, now: readings[index]! }];
    });
    moveStreams(world, versioned);
    const mixes = new Set(versioned.map(({ item }) => item).filter((item) => newestOf(world, item) === 'mixed'));
    const results = items.map((item, position) => {
      if (item === null) return { error: new Having({ status: 400 }) };
      if (mixes.has(item)) return { error: new Having({ code: 'subject_version_mixed', status: 409 }) };
      return this.claim(world, item, { requestToken, position }, readings[position]!);
    });
    return ok({ waitedMs: 0, results });
  }

  private claim(
    world: World,
    item: ClaimItem,
    call: { requestToken: string | undefined; position: number },
    now: Reading,
  ): unknown {
    const newestVersion = newestOf(world, item) as number | null;
    const given = { ...this.at(world, item.key, now), call, newestVersion };
    const [decision, action] = claims.claim(world.actions[item.key] ?? null, item, given);
    world.actions[item.key] = action;
    const event = eventOf(world, item, decision, now);
    return answers.claimAnswer(world, { decision, action, item, newestVersion, event });
  }

  private register(world: World, ask: RegisterAsk, clock: () => Reading): Reply {
    const given = this.at(world, ask.key, clock());
    const [decision, action] = claims.register(world.actions[ask.key] ?? null, ask, given);
    world.actions[ask.key] = action;
    return ok({ results: [answers.registerAnswer(keyAt(world, ask.key), decision, action)] });
  }

  /** What the holder of a claim says. */
  private held(
    world: World,
    ask: Extract<Ask, { kind: 'heartbeat' | 'release' | 'receipt' }>,
    clock: () => Reading,
  ): Reply {
    const key = keyAt(world, ask.key);
    const action = world.actions[ask.key] ?? null;
    if (ask.foreign === true) return ok({ results: [{ error: new Having({ code: 'claim_token_unknown' }) }] });
    if (action === null) return ok({ results: [{ error: new Having({ code: 'action_unknown' }) }] });
    const given = this.at(world, ask.key, clock());
    switch (ask.kind) {
      case 'heartbeat':
        return ok({ results: [answers.heartbeatAnswer(key, claims.heartbeat(action, ask, given), action)] });
      case 'release':
        return ok({ results: [answers.releaseAnswer(key, claims.release(action, ask, given), action)] });
      case 'receipt':
        return ok({ results: [answers.receiptAnswer(key, receipt(action, ask, given), action)] });
    }
  }

  private ended(world: World, ask: EndedAsk, clock: () => Reading): Reply {
    const abandoned = world.keys.flatMap((key, place) => {
      const action = world.actions[place] ?? null;
      if (action === null || key.workspace !== ask.workspace) return [];
      const { answer } = reconciliation.abandon(action, ask, this.at(world, place, clock()));
      if (answer !== 'abandoned') return [];
      return [{ actionId: answers.actionId(key), actionKey: answers.writtenKey(key), state: action.state }];
    });
    return ok({ abandoned: new InAnyOrder(abandoned, 'actionKey') });
  }

  private sweep(world: World, clock: () => Reading): Reply {
    const swept = world.actions.filter(
      (action, place) =>
        action !== null && reconciliation.sweep(action, this.at(world, place, clock())).answer === 'swept',
    );
    return { status: 200, body: { swept: swept.length } };
  }

  private resolve(world: World, ask: ResolveAsk, clock: () => Reading): Reply {
    const action = existing(world, ask);
    const given = this.at(world, ask.key, clock());
    const settledAt = reconciliation.settledAt(action, given);
    const warns =
      action.state === 'unknown' && ask.outcome === 'not_happened' && !reconciliation.isSettled(action, given);
    const decision = reconciliation.resolve(action, ask, given);
    if (decision.answer !== 'resolved') return refusal(decision, action, ask, settledAt);
    const warnings = warns ? [warning(settledAt)] : [];
    return {
      status: 200,
      body: { result: 'resolved', warnings, action: answers.actionView(world, ask.key, action) },
    };
  }

  private override(world: World, ask: OverrideAsk, clock: () => Reading): Reply {
    const action = existing(world, ask);
    const decision = reconciliation.override(action, ask, this.at(world, ask.key, clock()));
    if (decision.answer !== 'overridden') return refusal(decision, action, ask);
    return { status: 200, body: { result: 'overridden', action: answers.actionView(world, ask.key, action) } };
  }
}

const ok = (body: object): Reply => ({ status: 200, body: { ledgerId: UUID, ...body } });

function existing(world: World, { key }: { key: number }): ActionStory {
  const action = world.actions[key];
  if (!action) throw new Error(`There is no action ${key} to resolve yet`);
  return action;
}

const warning = (settledAt: Moment): Sentence =>
  new Sentence(
    'The settle time lasts until ',
    new At(settledAt),
    ': the destination may still show the effect. The idempotency key stays the same.',
  );

function refusal({ answer }: Decision, action: ActionStory, ask: ResolveAsk | OverrideAsk, settledAt?: Moment): Reply {
  const kept = ask.kind === 'resolve' ? ' What was found is kept as evidence.' : '';
  const details: Record<string, string> = {
    stale_resolution: `The action moved on since it was read: it is ${action.state} now.${kept}`,
    not_settled: 'A look-up that finds nothing proves nothing before the settle time is over. Nothing was changed.',
    not_applicable: `An action that is ${action.state} cannot be resolved so. Nothing was changed.`,
  };
  return {
    status: 409,
    body: new Having({
      code: answer,
      detail: details[answer],
      state: action.state,
      attempt: action.attempts.length,
      historySeq: action.history.length,
      ...(answer === 'not_settled' && settledAt !== undefined ? { settledAt: new At(settledAt) } : {}),
    }),
  };
}

/** Counts how often the event asked for the action. A call's repetition is not counted again. */
function eventOf(world: World, { key, event }: ClaimItem, decision: Decision, now: Reading): EventOfAction | null {
  if (event === undefined) return null;
  const { source = 'default', id } = event;
  const seen = (world.events[JSON.stringify([keyAt(world, key).workspace, source, id])] ??= {
    source,
    id,
    firstSeen: { ...now },
    asked: {},
  });
  const before = seen.asked[key]?.deliveries ?? 0;
  if (decision.replayed === true) return { deliveries: before, firstSeen: seen.firstSeen };
  seen.asked[key] = { deliveries: before + 1, last: { ...now }, decision: decision.answer };
  return { deliveries: before + 1, firstSeen: seen.firstSeen };
}
