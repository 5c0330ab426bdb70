import { Type } from '@sinclair/typebox';

import { batchAnswer, batchOf, ledgerId } from './batch';
import { STATES } from './claims';
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
  prose,
  reference,
  references,
  requestToken,
  the,
  uuid,
  whole,
} from './field-types';
import { EndedHolder, endedCause, Holder } from './holder';

/** What the holder of a claim sends: receipts, heartbeats, releases, its execution's end. */

const actionFacts = {
  actionId: uuid(),
  actionKey: nullable(Type.String({ examples: ['shop-1:workshop-842:reserve-seat'] })),
  state: nullable(oneOf(STATES)),
  attempt: nullable(attempt()),
  historySeq: nullable(historySeq()),
};

export const ReceiptRequest = named(
  'ReceiptRequest',
  exactly({
    claimToken: claimToken(),
    outcome: oneOf(['confirmed', 'failed', 'unknown'], {
      description:
        '`confirmed`: there is evidence of the effect. `failed`: there is evidence that it did not happen. `unknown`: anything else, such as a time-out.',
    }),
    reference: Type.Optional(reference()),
    references: Type.Optional(references()),
    evidence: Type.Optional(
      freeObject({ description: 'What the destination answered. At most 64 KiB and 32 levels.' }),
    ),
    cause: Type.Optional(prose(500, { description: 'Why, in a few words.', examples: ['timeout'] })),
    holder: Type.Optional(the(Holder)),
  }),
);

export const ReceiptAnswer = named(
  'ReceiptAnswer',
  exactly({
    result: oneOf(['recorded', 'superseded', 'contradiction', 'not_applicable'], {
      description: 'A receipt is never lost: also what contradicts is kept.',
    }),
    reason: Type.String({ description: 'One sentence for people.' }),
    late: Type.Boolean({ description: 'The lease was over, or something else had been recorded before.' }),
    replayed: Type.Boolean({ description: 'The same receipt was recorded before.' }),
    contradiction: nullable(Type.String(), { description: 'What does not fit together, e.g. `two_effects`.' }),
    ...actionFacts,
  }),
);

export const receiptBatch = batchOf('receipts', ReceiptRequest, 'What became of claims; each is recorded by itself.');
export const ReceiptsAnswer = batchAnswer(ReceiptAnswer);

export const HeartbeatRequest = named('HeartbeatRequest', exactly({ claimToken: claimToken() }));

export const HeartbeatAnswer = named(
  'HeartbeatAnswer',
  exactly({
    result: oneOf(['extended', 'lost'], { description: '`lost`: stop before you act; the claim is no longer yours.' }),
    leaseExpiresAt: nullable(moment()),
    leaseMs: nullable(whole(1, 86_400_000)),
    ...actionFacts,
  }),
);

export const heartbeatBatch = batchOf('heartbeats', HeartbeatRequest, 'Claims whose holder is still at it.');
export const HeartbeatsAnswer = batchAnswer(HeartbeatAnswer);

export const ReleaseRequest = named(
  'ReleaseRequest',
  exactly(
    {
      claimToken: Type.Optional(claimToken()),
      requestToken: Type.Optional(requestToken()),
      position: Type.Optional(
        whole(0, 999, { description: 'The place of the claim in its call, from 0.', examples: [0] }),
      ),
      ...actionKeyFields(),
      subject: Type.Optional(actionKeyFields().subject),
      operation: Type.Optional(actionKeyFields().operation),
    },
    {
      description:
        'By claim token alone; or, where the answer to the claim was lost, by the request token of the call, the position in it and the action key.',
    },
  ),
);

export const ReleaseAnswer = named(
  'ReleaseAnswer',
  exactly({
    result: oneOf(['released', 'not_applicable']),
    replayed: Type.Boolean(),
    ...actionFacts,
  }),
);

export const releaseBatch = batchOf('releases', ReleaseRequest, 'Claims whose action was certainly not sent.');
export const ReleasesAnswer = batchAnswer(ReleaseAnswer);

export const EndedBody = exactly({ holder: the(EndedHolder), cause: Type.Optional(endedCause()) });

export const EndedAnswer = exactly({
  ledgerId: ledgerId(),
  abandoned: Type.Array(
    exactly({ actionId: uuid(), actionKey: nullable(Type.String()), state: nullable(oneOf(STATES)) }),
    { description: 'The actions that the execution still held. They are unknown now.' },
  ),
});
