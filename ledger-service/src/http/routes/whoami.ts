import { Type } from '@sinclair/typebox';
import { type FastifyInstance } from 'fastify';

import { SCOPES } from '../../store/api-keys';
import { keyOf } from '../authentication';
import { ledgerId } from '../schemas/batch';
import { exactly, oneOf } from '../schemas/field-types';
import { type RouteContext } from './route-context';

const Whoami = exactly({
  workspace: Type.String({ examples: ['default'] }),
  keyName: Type.String({ examples: ['n8n production'] }),
  scopes: Type.Array(oneOf(SCOPES)),
  ledgerId: ledgerId(),
  version: Type.String({ description: "The service's version.", examples: ['0.1.0'] }),
});

export function whoamiRoutes(app: FastifyInstance, context: RouteContext): void {
  app.get('/v1/whoami', {
    config: { scopes: [] },
    schema: {
      summary: 'Which key, workspace and ledger this is',
      description: 'For a connection test. Takes any valid key.',
      tags: ['Service'],
      response: { 200: Whoami },
    },
    handler: (request) => {
      const { workspace, name: keyName, scopes } = keyOf(request);
      return Promise.resolve({ workspace, keyName, scopes, ledgerId: context.ledgerId, version: context.version });
    },
  });
}
