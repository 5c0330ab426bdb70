import { type ActionStory, currentAttempt } from './action-story';
import { type ClaimItem } from './asks';
import { claimableFailed } from './claims';
import { At, Form, Having, InAnyOrder, Made } from './expected';
import { exactly, type Moment } from './moments';
import { isTestRun, summary, whatBecameOfTheReceipt, whyDecided } from './sentences';
import { type Decision } from './transition';
import { type EventOfAction, type KeyName, keyAt, policyOf, type World } from './world';

/** What the ledger's answers must look like. Every member is always there, null where it does not apply. */

type Expected = Record<string, unknown>;

const atOrNull = (moment: Moment | null): At | null => (moment === null ? null : new At(moment));

const part = (text: string): string => text.replaceAll('%', '%25').replaceAll(':', '%3A');

export const writtenKey = ({ account, subject, operation, version }: KeyName): string =>
  [part(account), part(subject), part(operation), ...(version === 1 ? [] : [`v${version}`])].join(':');

/** The same for the same key in two workspaces: it is made from the key alone. */
export const actionId = (key: KeyName): Made => new Made(`ID of ${writtenKey(key)}`);

const nameOf = (key: KeyName): string => `${writtenKey(key)} in ${key.workspace}`;

export const claimToken = (key: KeyName, attempt: number): Made =>
  new Made(`claim token of attempt ${attempt} of ${nameOf(key)}`);

export const idempotencyKey = (key: KeyName, place: number): Made =>
  new Made(`idempotency key ${place + 1} of ${nameOf(key)}`);

function receiptView(action: ActionStory): Expected | null {
  if (action.state !== 'confirmed') return null;
  return {
    outcome: 'confirmed',
    reference: action.references[0] ?? null,
    references: action.references.slice(0, 10),
    attempt: action.confirmedBy,
    recordedAt: new At(action.since),
    testRun: isTestRun(action),
  };
}

export interface ClaimOutcome {
  decision: Decision;
  action: ActionStory | null;
  item: ClaimItem;
  newestVersion: number | null;
  event: EventOfAction | null;
}

export function claimAnswer(world: World, { decision, action, item, newestVersion, event }: ClaimOutcome): Expected {
  const key = keyAt(world, item.key);
  const policy = policyOf(world, item.key);
  const { answer } = decision;
  const granted = answer === 'proceed' ? action : null;
  const held = answer === 'proceed' || answer === 'in_progress' ? action : null;
  return {
    decision: answer,
    reason: whyDecided({ decision, action, policy, item, newestVersion }),
    actionId: actionId(key),
    actionKey: writtenKey(key),
    state: action?.state ?? null,
    attempt: action === null ? null : currentAttempt(action),
    historySeq: action?.history.length ?? null,
    claimToken: granted === null ? null : claimToken(key, currentAttempt(granted)),
    idempotencyKey: granted === null ? null : idempotencyKey(key, granted.keys.length - 1),
    leaseExpiresAt: held === null ? null : atOrNull(held.due),
    leaseMs: granted?.leaseMs ?? null,
    repeat: granted?.attempts.at(-1)?.from === 'unknown',
    replayed: decision.replayed ?? false,
    receipt: action === null ? null : receiptView(action),
    event:
      event === null
        ? null
        : {
            duplicate: event.deliveries > 1,
            deliveries: event.deliveries,
            firstSeenAt: new At({ reading: event.firstSeen, plus: 0 }),
          },
    unknown:
      action?.state === 'unknown'
        ? {
            since: new At(action.since),
            cause: action.cause,
            owner: action.owner ?? policy.owner,
            reviewBy: atOrNull(action.reviewBy),
          }
        : null,
    newer: answer === 'stale' ? newer(item, key, newestVersion!) : null,
    operationConfigured: policy.configured,
  };
}

function newer({ subjectVersion }: ClaimItem, { operation }: KeyName, newest: number): Expected {
  const stream = subjectVersion?.stream ?? operation;
  return subjectVersion?.occurredAt === undefined
    ? { stream, value: newest }
    : { stream, occurredAt: new At(exactly(newest)) };
}

/** What every answer about an action says of it. */
function facts(key: KeyName, action: ActionStory): Expected {
  return {
    actionId: actionId(key),
    actionKey: writtenKey(key),
    state: action.state,
    attempt: currentAttempt(action),
    historySeq: action.history.length,
  };
}

export const registerAnswer = (key: KeyName, { answer }: Decision, action: ActionStory): Expected => ({
  decision: answer,
  ...facts(key, action),
});

export const heartbeatAnswer = (key: KeyName, { answer }: Decision, action: ActionStory): Expected => ({
  result: answer,
  leaseExpiresAt: answer === 'extended' ? atOrNull(action.due) : null,
  leaseMs: answer === 'extended' ? action.leaseMs : null,
  ...facts(key, action),
});

export const releaseAnswer = (key: KeyName, { answer, replayed }: Decision, action: ActionStory): Expected => ({
  result: answer,
  replayed: replayed ?? false,
  ...facts(key, action),
});

export const receiptAnswer = (key: KeyName, decision: Decision, action: ActionStory): Expected => ({
  result: decision.answer,
  reason: whatBecameOfTheReceipt(decision, action),
  late: decision.late ?? false,
  replayed: decision.replayed ?? false,
  contradiction: decision.contradiction ?? null,
  ...facts(key, action),
});

/** An action as people and the owner's side see it. */
export function actionView(world: World, place: number, action: ActionStory): Expected {
  const { account, subject, operation, version } = keyAt(world, place);
  const policy = policyOf(world, place);
  const { state } = action;
  return {
    actionId: actionId(keyAt(world, place)),
    actionKey: writtenKey(keyAt(world, place)),
    account,
    subject,
    operation,
    version,
    state,
    attempt: currentAttempt(action),
    historySeq: action.history.length,
    since: new At(action.since),
    createdAt: new At(action.createdAt),
    idempotencyKey: action.keys.length === 0 ? null : idempotencyKey(keyAt(world, place), action.keys.length - 1),
    cause: action.cause,
    contradictions: action.contradictions,
    receipt: receiptView(action),
    references: action.references,
    lease: state === 'in_progress' ? { expiresAt: atOrNull(action.due), holder: action.holder } : null,
    owner: state === 'confirmed' ? null : (action.owner ?? policy.owner),
    reviewBy: state === 'unknown' ? atOrNull(action.reviewBy) : null,
    nextCheckAt: state === 'unknown' ? atOrNull(action.due) : null,
    claimable: state === 'pending' || (state === 'failed' && claimableFailed(action, { policy })),
    testRun: isTestRun(action),
    summary: summary(action, keyAt(world, place), policy),
  };
}

/** The same with the events that asked for it. */
export function actionWithEvents(world: World, place: number, action: ActionStory): Expected {
  const seen = Object.values(world.events).flatMap(({ source, id, firstSeen, asked }) => {
    const asks = asked[place];
    if (asks === undefined) return [];
    const [firstSeenAt, lastAskedAt] = [firstSeen, asks.last].map((reading) => new At({ reading, plus: 0 }));
    return [{ source, id, firstSeenAt, lastAskedAt, deliveries: asks.deliveries, lastDecision: asks.decision }];
  });
  return { ...actionView(world, place, action), events: new InAnyOrder(seen, 'source', 'id') };
}

/** The whole history, whose chain must hold. */
export function historyAnswer(world: World, place: number, action: ActionStory): Expected {
  const key = keyAt(world, place);
  return {
    verified: true,
    entries: action.history.map(({ at, kind, from, to, attempt, facts: said, details }, index) => ({
      seq: index + 1,
      at: new At(at),
      kind,
      fromState: from,
      toState: to,
      attempt,
      facts:
        typeof said['idempotencyKey'] === 'number'
          ? { ...said, idempotencyKey: idempotencyKey(key, said['idempotencyKey']) }
          : said,
      details,
      detailsErased: false,
      digest: new Form(/^[0-9a-f]{64}$/),
    })),
  };
}

/** What is kept with an action that is not at rest, beyond what its view shows. */
export function openItem({ state, due, reviewBy, settleFrom, owner }: ActionStory): Having | null {
  if (state === 'confirmed') return null;
  return new Having({
    dueAt: atOrNull(due),
    owner,
    ...(state === 'in_progress' ? {} : { reviewBy: atOrNull(reviewBy) }),
    ...(state === 'unknown' ? { settleFrom: atOrNull(settleFrom) } : {}),
  });
}
