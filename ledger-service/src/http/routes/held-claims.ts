import { type Static } from '@sinclair/typebox';
import { type FastifyInstance } from 'fastify';

import { Problem } from '../../domain/problem';
import { type EndedRequest, type ReleaseRequest as Release } from '../../domain/requests';
import { pausePoint } from '../../store/pause-point';
import { keyOf } from '../authentication';
import { itemReader } from '../items';
import {
  EndedAnswer,
  EndedBody,
  heartbeatBatch,
  HeartbeatRequest,
  HeartbeatsAnswer,
  receiptBatch,
  ReceiptRequest,
  ReceiptsAnswer,
  releaseBatch,
  ReleaseRequest,
  ReleasesAnswer,
} from '../schemas/held-claims';
import { addBatchRoute } from './batch-route';
import { type RouteContext } from './route-context';

/** The holder's side: what became of its claims. */
export function heldClaimRoutes(app: FastifyInstance, { ledger, ledgerId, metrics }: RouteContext): void {
  const receiptsOf = itemReader(receiptBatch, ReceiptRequest);
  addBatchRoute(app, ledgerId, {
    url: '/v1/receipts',
    batch: receiptBatch,
    answer: ReceiptsAnswer,
    scopes: ['receipt'],
    tag: 'Receipts',
    summary: 'Record what became of claimed actions',
    description:
      'Positive evidence is never refused: late and contradicting receipts are kept, and the result says so. Send the same receipt again when its answer was lost.',
    settle: async (workspaceNo, { body }) => {
      const results = await ledger.receipts(workspaceNo, receiptsOf(body));
      for (const result of results) metrics.receipt(result instanceof Problem ? 'refused' : result.result);
      return results;
    },
  });

  const heartbeatsOf = itemReader(heartbeatBatch, HeartbeatRequest);
  addBatchRoute(app, ledgerId, {
    url: '/v1/heartbeats',
    batch: heartbeatBatch,
    answer: HeartbeatsAnswer,
    scopes: ['claim', 'receipt'],
    tag: 'Receipts',
    summary: 'Extend leases',
    description: 'The lease then ends one lease length from now, by the clock of the database.',
    settle: (workspaceNo, { body }) => ledger.heartbeats(workspaceNo, heartbeatsOf(body)),
  });

  const releasesOf = itemReader(releaseBatch, ReleaseRequest, releaseForm);
  addBatchRoute(app, ledgerId, {
    url: '/v1/releases',
    batch: releaseBatch,
    answer: ReleasesAnswer,
    scopes: ['claim', 'receipt'],
    tag: 'Receipts',
    summary: 'Give claims back whose action was certainly not sent',
    description: 'The action goes back to the state that it was claimed from.',
    settle: (workspaceNo, { body }) => ledger.releases(workspaceNo, releasesOf(body) as (Release | Problem)[]),
  });

  app.post('/v1/executions/ended', {
    config: { scopes: ['claim', 'receipt'] },
    schema: {
      summary: 'Tell that an execution ended',
      description: 'Everything that it still holds becomes unknown at once, instead of when the leases end.',
      tags: ['Receipts'],
      body: EndedBody,
      response: { 200: EndedAnswer },
    },
    handler: async (request) => {
      const abandoned = await ledger.endExecution(keyOf(request).workspaceNo, request.body as EndedRequest);
      await pausePoint('end of execution recorded');
      return { ledgerId, abandoned };
    },
  });
}

const BY_CALL = ['requestToken', 'position', 'subject', 'operation'] as const;

/** A release names its claim by the token alone or by its call, never by half of each. */
function releaseForm(release: Static<typeof ReleaseRequest>): Problem | null {
  if (release.claimToken !== undefined) {
    const other = Object.keys(release).find((name) => name !== 'claimToken');
    return other === undefined
      ? null
      : new Problem('invalid_request', `${other} does not go with claimToken. Nothing was released.`, { field: other });
  }
  const missing = BY_CALL.find((name) => release[name] === undefined);
  if (missing === undefined) return null;
  const none = BY_CALL.every((name) => release[name] === undefined);
  const field = none ? 'claimToken' : missing;
  return new Problem('invalid_request', `${field} is missing. Nothing was released.`, {
    field,
    hint: 'Send the claimToken, or requestToken, position, subject and operation of a claim whose answer was lost.',
  });
}
