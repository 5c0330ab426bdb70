import { type Static } from '@sinclair/typebox';
import { type FastifyInstance } from 'fastify';

import { normalisePart } from '../../domain/action-key';
import { iso } from '../../domain/answers';
import { Problem } from '../../domain/problem';
import { moment } from '../../domain/moment';
import { eventName } from '../../domain/requests';
import { keyOf } from '../authentication';
import { ActionPage, actionPath, ActionSearch, ActionView, History } from '../schemas/actions';
import { the } from '../schemas/field-types';
import { eventViews, findAction, viewOf, viewsOf } from './action-views';
import { type RouteContext } from './route-context';

/** Looking up what the ledger knows. Nothing here changes anything. */
export function actionRoutes(app: FastifyInstance, { ledger }: RouteContext): void {
  app.get('/v1/actions', {
    config: { scopes: ['read'] },
    schema: {
      summary: 'Search actions',
      description: 'All given conditions must hold. Without any, the newest come first.',
      tags: ['Actions'],
      querystring: ActionSearch,
      response: { 200: ActionPage },
    },
    handler: async (request) => {
      const { workspaceNo } = keyOf(request);
      const found = await ledger.search(workspaceNo, searchOf(request.query as Static<typeof ActionSearch>));
      return { actions: await viewsOf(ledger, workspaceNo, found.actions), nextCursor: found.nextCursor };
    },
  });

  app.get('/v1/actions/:id', {
    config: { scopes: ['read'] },
    schema: {
      summary: 'One action',
      description: 'With the events that asked for it.',
      tags: ['Actions'],
      params: actionPath,
      response: { 200: the(ActionView) },
    },
    handler: async (request) => {
      const { workspaceNo } = keyOf(request);
      const action = await findAction(ledger, workspaceNo, (request.params as { id: string }).id);
      const view = await viewOf(ledger, action);
      return { ...view, events: eventViews(await ledger.reading.events(workspaceNo, action.id)) };
    },
  });

  app.get('/v1/actions/:id/history', {
    config: { scopes: ['read'] },
    schema: {
      summary: 'All that ever happened to an action',
      description: 'Append-only. Each entry is chained to the one before it, and the chain is checked for this answer.',
      tags: ['Actions'],
      params: actionPath,
      response: { 200: History },
    },
    handler: async (request) => {
      const action = await findAction(ledger, keyOf(request).workspaceNo, (request.params as { id: string }).id);
      const { entries, verified } = await ledger.reading.history(action);
      return { entries: entries.map((entry) => ({ ...entry, at: iso(entry.at) })), verified };
    },
  });
}

function searchOf(query: Static<typeof ActionSearch>): Parameters<RouteContext['ledger']['search']>[1] {
  const { key, subject, account, operation, state, reference, event, from, to, limit = 50, cursor } = query;
  const fromMs = moment(from, 'from');
  const toMs = moment(to, 'to');
  return {
    limit,
    ...(key !== undefined && { key }),
    ...(subject !== undefined && { subject: normalisePart('subject', subject) }),
    ...(account !== undefined && { account: normalisePart('account', account) }),
    ...(operation !== undefined && { operation: normalisePart('operation', operation) }),
    ...(state !== undefined && { state }),
    ...(reference !== undefined && { reference }),
    ...(event !== undefined && { eventId: eventId(event) }),
    ...(fromMs !== null && { from: fromMs }),
    ...(toMs !== null && { to: toMs }),
    ...(cursor !== undefined && { cursor }),
  };
}

/** `source:id`, with ":" and "%" inside a part percent-encoded, as in an action key. */
function eventId(text: string): string {
  const parts = text.split(':');
  const [source, id] = parts.map((part) => part.replaceAll(/%3A/gi, ':').replaceAll('%25', '%'));
  if (parts.length !== 2 || source === undefined || id === undefined) {
    throw new Problem('invalid_request', 'event is not of the form source:id.', {
      field: 'event',
      hint: 'Write ":" and "%" inside a part as %3A and %25, and then encode the whole for the address.',
    });
  }
  try {
    return eventName(source, id).id;
  } catch (error) {
    throw error instanceof Problem ? error.within('event') : error;
  }
}
