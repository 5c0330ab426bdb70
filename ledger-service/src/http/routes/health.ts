import { Type } from '@sinclair/typebox';
import { type FastifyInstance } from 'fastify';

import { Problem } from '../../domain/problem';
import { schemaState } from '../../store/migrate';
import { exactly } from '../schemas/field-types';
import { type RouteContext } from './route-context';

const Alive = exactly({ status: Type.Literal('ok') });

export function healthRoutes(app: FastifyInstance, { ledger, metrics, ending }: RouteContext): void {
  app.get('/healthz', {
    schema: {
      summary: 'Whether the process answers',
      description:
        'Does not look at the database: a service whose database is away recovers by itself and need not be restarted.',
      tags: ['Service'],
      response: { 200: Alive },
    },
    handler: () => Promise.resolve({ status: 'ok' }),
  });

  app.get('/readyz', {
    schema: {
      summary: 'Whether the ledger can decide',
      description: 'The database answers, is fit to decide (writable, durable), and has this version’s tables.',
      tags: ['Service'],
      response: { 200: Alive },
    },
    handler: async () => {
      if (ending.aborted) throw notReady('The service is ending.');
      const { exists, pending, unknown } = await schemaState(ledger.database).catch((cause: unknown) => {
        throw notReady(`The database is not fit to decide: ${(cause as Error).message}`, cause);
      });
      if (!exists) throw notReady('There is no ledger in the database.');
      if (pending.length > 0)
        throw notReady('The database has the tables of an older version: run action-ledger migrate.');
      if (unknown.length > 0) throw notReady('The database has the tables of a newer version than this service.');
      return { status: 'ok' };
    },
  });

  app.get('/metrics', {
    schema: {
      summary: 'Metrics for Prometheus',
      description: 'Counts only, over all workspaces; no key is needed. Keep it away from the public at your proxy.',
      tags: ['Service'],
      produces: ['text/plain'],
      response: { 200: Type.String() },
    },
    handler: async (_request, reply) =>
      reply
        .header('content-type', metrics.registry.contentType)
        .serializer((text: unknown) => text as string)
        .send(await metrics.registry.metrics()),
  });

  app.get('/openapi.json', {
    schema: {
      summary: 'This document',
      description: 'The API as an OpenAPI 3.1 document.',
      tags: ['Service'],
      response: { 200: Type.Object({}, { additionalProperties: true }) },
    },
    handler: () => Promise.resolve(app.swagger()),
  });
}

const notReady = (message: string, cause?: unknown): Problem =>
  new Problem('ledger_unavailable', `${message} Nothing can be claimed here at present.`, {}, { cause });
