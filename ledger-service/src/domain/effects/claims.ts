import { type Action } from '../action';
import { type ClaimCommand, type HeartbeatCommand, type RegisterCommand, type ReleaseCommand } from '../commands';
import { keyEndsAt, leaseMsOf } from '../conditions';
import { type Change, type Schedule, type Situation } from '../decision';
import { comeBack, dueAt, existing, marked, move, review, UNSCHEDULED, without } from './move';
import { unborn } from './unborn';

export function register(s: Situation<RegisterCommand>): Change {
  const born = { ...s, action: unborn(s) };
  const back = comeBack(s);
  return move(
    born,
    'pending',
    'registered',
    { fingerprint: s.command.fingerprint },
    {
      details: s.command.details ?? null,
      schedule: s.command.dueAt === null ? back : { ...back, due: { at: s.command.dueAt } },
    },
  );
}

/** Details that come first with a later call are stored then. */
export function storeDetails(s: Situation<ClaimCommand | RegisterCommand>): Change {
  return move(
    s,
    existing(s).state,
    'details_recorded',
    { fingerprint: s.command.fingerprint },
    { details: s.command.details ?? null },
  );
}

/** A new attempt: the next fencing number, its lease, and the idempotency key that its call to the destination carries. */
export function grant(s: Situation<ClaimCommand>): Change {
  const { command, policy } = s;
  const action = s.action ?? unborn(s);
  const repeat = s.action?.state === 'unknown';
  const leaseMs = leaseMsOf(s);
  const attempt = action.attempt + 1;
  const newKey = action.idempotencyKey === null || action.rotateKey;
  const fingerprintNow = action.fingerprint ?? command.fingerprint;
  const idempotencyKey = newKey ? s.randomUuid() : action.idempotencyKey;
  // What a later repeat may rest on is recorded with the first attempt under the key and not changed afterwards.
  const repeatable =
    policy.safeRepeat &&
    policy.destinationIdempotency === 'key' &&
    policy.destinationWindowSeconds !== null &&
    command.sendsIdempotencyKey &&
    fingerprintNow !== null;
  const window = repeatable ? (policy.destinationWindowSeconds ?? 0) * 1000 : null;
  // One holder that does not send the key, and its effect could not be told from a repeat's.
  const keyWindowMs = newKey ? window : command.sendsIdempotencyKey ? action.keyWindowMs : null;
  const keyClaimedAt = newKey ? s.now : action.keyClaimedAt;
  const endsAt = repeat ? keyEndsAt({ keyClaimedAt, keyWindowMs }) : null;
  const schedule: Schedule = {
    due: { inMs: leaseMs },
    ...(endsAt === null ? {} : { notAfter: endsAt, mustFit: true }),
  };
  return move(
    { ...s, action },
    'in_progress',
    repeat ? 'repeated' : 'claimed',
    {
      attempt,
      claimedFrom: action.state,
      leaseMs,
      callId: command.callId,
      callPosition: command.callPosition,
      holderId: command.holderId,
      testRun: command.holder?.mode === 'manual',
      idempotencyKey,
      keyClaimedAt,
      keyWindowMs,
      keyAttempts: newKey ? 1 : action.keyAttempts + 1,
      rotateKey: false,
      unresolved: [...action.unresolved, attempt],
      fingerprint: fingerprintNow,
      open: { ...UNSCHEDULED, owner: action.open?.owner ?? null, holder: command.holder },
    },
    {
      facts: {
        leaseMs,
        idempotencyKey,
        ...(command.holder === null ? {} : { holder: command.holder }),
        ...(command.event === null ? {} : { event: command.event }),
      },
      details: command.fingerprint !== null && action.fingerprint === null ? command.details : null,
      schedule,
    },
  );
}

/**
 * The same call again. Nothing changes, but it is written: what it repeats may have been committed without a confirmation
 * (a synchronous standby that was not waited for), and this commit proves it durable.
 */
export function touch(s: Situation): Change {
  return { next: existing(s), entry: null };
}

export function extend(s: Situation<HeartbeatCommand>): Change {
  const action = existing(s);
  const endsAt = action.claimedFrom === 'unknown' ? keyEndsAt(action) : null;
  const schedule: Schedule = {
    due: { inMs: action.leaseMs },
    ...(action.open === null ? {} : { notBefore: action.open.dueAt }),
    ...(endsAt === null ? {} : { notAfter: endsAt }),
  };
  const open = action.open === null ? null : { ...action.open, dueAt: dueAt(schedule, s.now) };
  return { next: { ...action, open }, entry: null, schedule };
}

export function release(s: Situation<ReleaseCommand>): Change {
  const action = existing(s);
  const unresolved = without(action.unresolved, action.attempt);
  const changes: Partial<Action> = {
    unresolved,
    keyAttempts: Math.max(0, action.keyAttempts - 1),
    receipts: marked(action, { attempt: action.attempt, outcome: 'released', references: [] }),
  };
  if (action.effectSeen) {
    return move(
      s,
      'confirmed',
      'released',
      { ...changes, effectSeen: false, cause: null },
      { facts: { effectSeen: true } },
    );
  }
  // An earlier attempt may still have had its effect: not having sent this one says nothing about that one.
  const to = unresolved.length > 0 ? 'unknown' : action.claimedFrom;
  return move(s, to, 'released', changes, { schedule: to === 'unknown' ? review(s) : comeBack(s) });
}
