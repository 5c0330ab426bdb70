import { type Static } from '@sinclair/typebox';
import { type FastifyInstance } from 'fastify';

import { type Action } from '../../domain/action';
import { normalisePart } from '../../domain/action-key';
import { actionView } from '../../domain/action-view';
import { type OverrideRequest, type ResolutionRequest } from '../../domain/requests';
import { pausePoint } from '../../store/pause-point';
import { keyOf } from '../authentication';
import { actionPath } from '../schemas/actions';
import {
  LeaseAnswer,
  LeaseBody,
  OverrideAnswer,
  OverrideBody,
  ResolutionAnswer,
  ResolutionBody,
} from '../schemas/reconciliation';
import { findAction, viewsOf } from './action-views';
import { type RouteContext } from './route-context';

/** The owner's side: finding out about what is unknown. */
export function reconciliationRoutes(app: FastifyInstance, { ledger }: RouteContext): void {
  app.post('/v1/reconciliations/lease', {
    config: { scopes: ['reconcile'] },
    schema: {
      summary: 'Take unknown actions that are due to be looked up',
      description:
        'Two reconcilers are never given the same action at once. Keep attempt and historySeq: they are the fence of the resolution.',
      tags: ['Reconciliation'],
      body: LeaseBody,
      response: { 200: LeaseAnswer },
    },
    handler: async (request) => {
      const { workspaceNo } = keyOf(request);
      const { limit = 20, operation, leaseSeconds = 300 } = request.body as Static<typeof LeaseBody>;
      const named =
        operation === undefined
          ? null
          : await ledger.operations.find({ workspaceNo, name: normalisePart('operation', operation) });
      await pausePoint('operation of the lease found');
      // Nobody has named this operation yet, so nothing of it is due.
      if (named === undefined) return { actions: [] };
      const actions = await ledger.reading.leaseDue(workspaceNo, {
        operationNo: named?.no ?? null,
        limit,
        leaseSeconds,
      });
      await pausePoint('due actions taken');
      return { actions: await viewsOf(ledger, workspaceNo, actions) };
    },
  });

  app.post('/v1/actions/:id/resolution', {
    config: { scopes: ['reconcile'] },
    schema: {
      summary: 'Record what was found out',
      description:
        'Only for the action as it was looked up: if it moved since, 409 `stale_resolution`, and what was found is kept as evidence.',
      tags: ['Reconciliation'],
      params: actionPath,
      body: ResolutionBody,
      response: { 200: ResolutionAnswer },
    },
    handler: async (request) => {
      const { workspaceNo, name } = keyOf(request);
      const { id } = await findAction(ledger, workspaceNo, (request.params as { id: string }).id);
      await pausePoint('action to resolve found');
      const { settled, warnings } = await ledger.resolve(workspaceNo, id, request.body as ResolutionRequest, name);
      await pausePoint('resolution recorded');
      return { result: 'resolved', warnings, action: viewOfSettled(settled) };
    },
  });

  app.post('/v1/actions/:id/override', {
    config: { scopes: ['admin'] },
    schema: {
      summary: 'Take a confirmation back',
      description: 'A confirmed action becomes unknown, when two people agree that its confirmation does not hold.',
      tags: ['Reconciliation'],
      params: actionPath,
      body: OverrideBody,
      response: { 200: OverrideAnswer },
    },
    handler: async (request) => {
      const { workspaceNo } = keyOf(request);
      const { id } = await findAction(ledger, workspaceNo, (request.params as { id: string }).id);
      await pausePoint('action to override found');
      const settled = await ledger.override(workspaceNo, id, request.body as OverrideRequest);
      await pausePoint('override recorded');
      return { result: 'overridden', action: viewOfSettled(settled) };
    },
  });
}

type Settled = Awaited<ReturnType<RouteContext['ledger']['override']>>;

function viewOfSettled({ action, operation }: Settled): ReturnType<typeof actionView> {
  return actionView(action as Action, operation.policy);
}
