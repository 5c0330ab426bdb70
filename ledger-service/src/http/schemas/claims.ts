import { Type } from '@sinclair/typebox';

import { batchAnswer, batchOf } from './batch';
import {
  actionKeyFields,
  attempt,
  claimToken,
  exactly,
  freeObject,
  historySeq,
  moment,
  named,
  nullable,
  oneOf,
  requestToken,
  the,
  uuid,
  whole,
} from './field-types';
import { ClaimHolder } from './holder';

export const STATES = ['pending', 'in_progress', 'confirmed', 'failed', 'unknown'] as const;

const eventPart = (description: string, examples: string[]) =>
  Type.String({ minLength: 1, maxLength: 1000, description, examples });

export const EventName = named(
  'EventName',
  exactly(
    {
      source: Type.Optional(eventPart('Where the event comes from. Default `default`.', ['stripe'])),
      id: eventPart("The source's own ID of the event.", ['evt_A']),
      occurredAt: Type.Optional(
        moment({ description: "The event's own time. Needed where the operation has a replay window." }),
      ),
    },
    { description: 'The event that asks for the action. It is recorded; what decides is the action key.' },
  ),
);

export const SubjectVersion = named(
  'SubjectVersion',
  exactly(
    {
      stream: Type.Optional(eventPart('What is counted. Default: the operation itself.', ['order'])),
      value: Type.Optional(
        whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, { description: 'A sequence number.', examples: [17] }),
      ),
      occurredAt: Type.Optional(moment({ description: 'Or a time. One stream never mixes the two.' })),
    },
    {
      description:
        'How new the subject is that the claim was made from. An older one than the ledger has seen is `stale` where it would otherwise proceed.',
    },
  ),
);

export const Claim = named(
  'Claim',
  exactly({
    ...actionKeyFields(),
    event: Type.Optional(the(EventName)),
    subjectVersion: Type.Optional(the(SubjectVersion)),
    details: Type.Optional(
      freeObject({
        description:
          'What is to be done, as business fields. Other details under the same key are a `mismatch`. At most 64 KiB and 32 levels; no integers beyond 2^53.',
        examples: [{ amount: 4900, currency: 'thb' }],
      }),
    ),
    leaseSeconds: Type.Optional(
      whole(1, 86_400, {
        description: "How long the holder may be at it, in seconds. Default: the operation's, else 300.",
        examples: [300],
      }),
    ),
    holder: Type.Optional(the(ClaimHolder)),
  }),
);

export const Receipt = named(
  'Receipt',
  exactly(
    {
      outcome: Type.Literal('confirmed'),
      reference: nullable(Type.String()),
      references: Type.Array(Type.String(), { description: 'The first ten in their order.' }),
      attempt: nullable(attempt(), { description: '0 when a reconciliation confirmed it.' }),
      recordedAt: moment(),
      testRun: Type.Boolean({ description: 'The effect was made by a manual test run.' }),
    },
    { description: 'The evidence that the action was done.' },
  ),
);

const Unknown = exactly(
  {
    since: moment(),
    cause: nullable(Type.String()),
    owner: nullable(Type.String(), { description: 'Who reconciles it.' }),
    reviewBy: nullable(moment()),
  },
  { description: 'Since when and why the outcome is not known.' },
);

export const DECISIONS = [
  'proceed',
  'already_done',
  'in_progress',
  'unknown',
  'failed',
  'stale',
  'mismatch',
  'too_old',
] as const;

export const ClaimAnswer = named(
  'ClaimAnswer',
  exactly(
    {
      decision: oneOf(DECISIONS, {
        description: [
          '- `proceed`: carry it out, then record a receipt with the claim token',
          '- `already_done`: it was done; see `receipt`',
          '- `in_progress`: another holder is at it until `leaseExpiresAt`',
          '- `unknown`: it may have happened; do not repeat it, see `unknown`',
          '- `failed`: it failed as often as the operation allows',
          '- `stale`: something newer about the subject was seen; see `newer`',
          '- `mismatch`: the same key was asked for with other details',
          "- `too_old`: the event is older than the operation's replay window",
        ].join('\n'),
      }),
      reason: Type.String({ description: 'One sentence for people.' }),
      actionId: uuid(),
      actionKey: Type.String({ examples: ['shop-1:workshop-842:reserve-seat'] }),
      state: nullable(oneOf(STATES), { description: 'Null where there is no action.' }),
      attempt: nullable(attempt()),
      historySeq: nullable(historySeq()),
      claimToken: nullable(claimToken(), { description: 'Only with `proceed`. Keep it for the receipt.' }),
      idempotencyKey: nullable(uuid(), {
        description: 'Only with `proceed`. Send it to a destination that knows idempotency keys.',
      }),
      leaseExpiresAt: nullable(moment(), { description: "By the database's clock. With `proceed` and `in_progress`." }),
      leaseMs: nullable(whole(1, 86_400_000), {
        description: 'Length of the lease in milliseconds. Only with `proceed`.',
      }),
      repeat: Type.Boolean({
        description:
          'The outcome of an earlier attempt is not known, and the same idempotency key makes the repeat safe.',
      }),
      replayed: Type.Boolean({ description: 'The same call was answered before; this is its answer again.' }),
      receipt: nullable(the(Receipt)),
      event: nullable(
        exactly({
          duplicate: Type.Boolean({ description: 'This event asked for this action before.' }),
          deliveries: whole(1, Number.MAX_SAFE_INTEGER),
          firstSeenAt: moment(),
        }),
      ),
      unknown: nullable(Unknown),
      newer: nullable(
        exactly({
          stream: Type.String(),
          value: Type.Optional(Type.Integer()),
          occurredAt: Type.Optional(moment()),
        }),
      ),
      operationConfigured: Type.Boolean({ description: 'False: the operation works with the defaults.' }),
    },
    { description: 'What was decided. Every field is always there.' },
  ),
);

export const claimBatch = batchOf('claims', Claim, 'What is claimed; each is decided by itself.', {
  requestToken: Type.Optional(requestToken()),
  waitMs: Type.Optional(
    whole(0, 30_000, {
      description:
        'How long to wait, in milliseconds, while other holders are at it. A call in which anything is granted is answered at once.',
      examples: [0],
    }),
  ),
});

export const ClaimsAnswer = batchAnswer(ClaimAnswer, {
  waitedMs: whole(0, 60_000, {
    description:
      'How long the call waited, in milliseconds, before what it is answered was decided: no lease in it is older than the rest of the time that the call took.',
    examples: [0],
  }),
});

export const Registration = named(
  'Registration',
  exactly({
    ...actionKeyFields(),
    details: Type.Optional(freeObject({ description: 'What is to be done. At most 64 KiB.' })),
    dueAt: Type.Optional(moment({ description: 'When it is shown as claimable if nobody came for it.' })),
  }),
);

export const RegistrationAnswer = named(
  'RegistrationAnswer',
  exactly({
    decision: oneOf(['registered', 'exists', 'mismatch']),
    actionId: uuid(),
    actionKey: nullable(Type.String()),
    state: nullable(oneOf(STATES)),
    attempt: nullable(attempt()),
    historySeq: nullable(historySeq()),
  }),
);

export const registrationBatch = batchOf(
  'actions',
  Registration,
  'Actions to be recorded without anybody being at them.',
);
export const RegistrationsAnswer = batchAnswer(RegistrationAnswer);
