import { Type } from '@sinclair/typebox';

import { Receipt, STATES } from './claims';
import {
  account,
  attempt,
  exactly,
  freeObject,
  historySeq,
  line,
  moment,
  named,
  nullable,
  oneOf,
  operationName,
  subject,
  the,
  uuid,
  version,
  whole,
} from './field-types';
import { Holder } from './holder';

const EventSeen = named(
  'EventSeen',
  exactly(
    {
      source: Type.String(),
      id: Type.String(),
      firstSeenAt: moment(),
      lastAskedAt: moment(),
      deliveries: whole(1, Number.MAX_SAFE_INTEGER),
      lastDecision: Type.String({ examples: ['already_done'] }),
    },
    { description: 'An event that asked for the action, how often, and what it was answered last.' },
  ),
);

export { EventSeen };

export const ActionView = named(
  'ActionView',
  exactly(
    {
      actionId: uuid(),
      actionKey: Type.String({ examples: ['shop-1:workshop-842:reserve-seat'] }),
      account: account(),
      subject: subject(),
      operation: operationName(),
      version: version(),
      state: oneOf(STATES),
      attempt: attempt(),
      historySeq: historySeq(),
      since: moment({ description: 'When it came into its state.' }),
      createdAt: moment(),
      idempotencyKey: nullable(uuid(), { description: 'To look the effect up at the destination.' }),
      cause: nullable(Type.String(), {
        description: 'Why its outcome is not known, or who said that it did not happen.',
      }),
      contradictions: Type.Array(Type.String(), { description: 'What does not fit together, e.g. `two_effects`.' }),
      receipt: nullable(the(Receipt)),
      references: Type.Array(Type.String(), {
        description: "The destination's own IDs, also of an action that is not confirmed.",
      }),
      lease: nullable(exactly({ expiresAt: moment(), holder: nullable(the(Holder)) })),
      owner: nullable(Type.String(), { description: 'Who reconciles it.' }),
      reviewBy: nullable(moment(), { description: 'When an unknown action is overdue for review.' }),
      nextCheckAt: nullable(moment(), { description: 'When an unknown action is due to be looked up.' }),
      claimable: Type.Boolean({ description: 'The next claim would be told to proceed.' }),
      testRun: Type.Boolean({ description: 'Made by a manual test run.' }),
      events: Type.Optional(
        Type.Array(the(EventSeen), {
          description: 'Only for a single action: the events that asked for it, newest first.',
        }),
      ),
      summary: Type.String({ description: 'The story in a few plain sentences.' }),
    },
    { description: 'An action as people and the owner’s side see it.' },
  ),
);

export const actionPath = Type.Object({ id: uuid({ description: 'The actionId.' }) });

const part = (description: string, examples: string[] = []) => line(1000, { description, examples });

export const ActionSearch = exactly({
  key: Type.Optional(line(3000, { description: 'The written form.', examples: ['shop-1:workshop-842:reserve-seat'] })),
  subject: Type.Optional(part('The subject.', ['workshop-842'])),
  account: Type.Optional(part('The account. Alone it searches by time.')),
  operation: Type.Optional(part('The operation.')),
  state: Type.Optional(oneOf(STATES, { description: 'Those that are not confirmed come by their due time.' })),
  reference: Type.Optional(line(500, { description: "The destination's own ID of an effect.", examples: ['RSV-219'] })),
  event: Type.Optional(
    line(6000, {
      description:
        'source:id of an event that asked for it; ":" and "%" inside a part as %3A and %25 (then encoded for the address).',
      examples: ['stripe:evt_A'],
    }),
  ),
  from: Type.Optional(moment({ description: 'Created at or after.' })),
  to: Type.Optional(moment({ description: 'Created before.' })),
  limit: Type.Optional(whole(1, 200, { description: 'Actions on a page. Default 50.' })),
  cursor: Type.Optional(line(500, { description: 'The nextCursor of the page before, with the same conditions.' })),
});

export const nextCursor = () =>
  nullable(Type.String(), { description: 'Where the next page begins; null on the last one.' });

export const ActionPage = exactly({ actions: Type.Array(the(ActionView)), nextCursor: nextCursor() });

export const HistoryEntry = named(
  'HistoryEntry',
  exactly({
    seq: whole(1, 2 ** 31 - 1),
    at: moment(),
    kind: Type.String({ description: 'What was done.', examples: ['claimed'] }),
    fromState: oneOf(['none', ...STATES]),
    toState: oneOf(['none', ...STATES]),
    attempt: attempt(),
    facts: freeObject({ description: 'What can never be erased.' }),
    details: nullable(Type.Unknown(), {
      description: 'What people wrote and destinations answered; null where there was nothing, or where it was erased.',
    }),
    detailsErased: Type.Boolean({ description: 'There were details, and they were erased.' }),
    digest: Type.String({ description: 'SHA-256 over this entry and the digest before it, in hexadecimal.' }),
  }),
);

export const History = exactly({
  entries: Type.Array(the(HistoryEntry)),
  verified: Type.Boolean({ description: 'The chain of digests is unbroken from the first entry to the last.' }),
});
