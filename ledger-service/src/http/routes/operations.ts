import { type Static } from '@sinclair/typebox';
import { type FastifyInstance } from 'fastify';

import { normalisePart } from '../../domain/action-key';
import { DEFAULT_POLICY, type Operation, type OperationPolicy } from '../../domain/policy';
import { type PolicyChange } from '../../domain/policy-change';
import { Problem } from '../../domain/problem';
import { configureOperation } from '../../store/configure-operation';
import { keyOf } from '../authentication';
import { the } from '../schemas/field-types';
import { OperationBody, OperationPage, operationPath, OperationSchema, OperationSearch } from '../schemas/operations';
import { type RouteContext } from './route-context';

const PAGE = 100;

type OperationView = { name: string; configured: boolean; revision: number } & OperationPolicy;

const viewOf = ({ name, configured, revision, policy }: Operation): OperationView => ({
  name,
  configured,
  revision,
  ...policy,
});

/** What operations allow. */
export function operationRoutes(app: FastifyInstance, { ledger: { operations } }: RouteContext): void {
  app.get('/v1/operations', {
    config: { scopes: ['read', 'claim'] },
    schema: {
      summary: 'List operations',
      description: 'By name, a hundred on a page.',
      tags: ['Operations'],
      querystring: OperationSearch,
      response: { 200: OperationPage },
    },
    handler: async (request) => {
      const { search = '', cursor } = request.query as Static<typeof OperationSearch>;
      const found = await operations.list(keyOf(request).workspaceNo, search, nameOf(cursor), PAGE + 1);
      const page = found.slice(0, PAGE);
      const last = found.length > PAGE ? page.at(-1) : undefined;
      return {
        operations: page.map(viewOf),
        nextCursor: last === undefined ? null : Buffer.from(last.name).toString('base64url'),
      };
    },
  });

  app.get('/v1/operations/:name', {
    config: { scopes: ['read'] },
    schema: {
      summary: 'One operation',
      description: 'An operation that nobody has named yet is shown with the defaults that it would work with.',
      tags: ['Operations'],
      params: operationPath,
      response: { 200: the(OperationSchema) },
    },
    handler: async (request) => {
      const name = normalisePart('name', (request.params as { name: string }).name);
      const found = await operations.find({ workspaceNo: keyOf(request).workspaceNo, name });
      return found === undefined ? { name, configured: false, revision: 1, ...DEFAULT_POLICY } : viewOf(found);
    },
  });

  app.put('/v1/operations/:name', {
    config: { scopes: ['admin'] },
    schema: {
      summary: 'Set an operation',
      description:
        'Fields that are left out stay as they are. A change must carry the present `revision`, except for an operation that nobody has set; else 409 `policy_conflict` names both values of each differing field.',
      tags: ['Operations'],
      params: operationPath,
      body: the(OperationBody),
      response: { 200: the(OperationSchema) },
    },
    handler: async (request) => {
      const { revision = null, ...change } = request.body as { revision?: number } & PolicyChange;
      const { name } = request.params as { name: string };
      return viewOf(
        await configureOperation(operations, { workspaceNo: keyOf(request).workspaceNo, name, change, revision }),
      );
    },
  });
}

/** A page begins after a name. */
function nameOf(cursor: string | undefined): string {
  if (cursor === undefined) return '';
  const name = Buffer.from(cursor, 'base64url').toString();
  if (Buffer.from(name).toString('base64url') === cursor && !name.includes('\0')) return name;
  throw new Problem('invalid_request', 'This cursor is not one that a page ended with.', {
    field: 'cursor',
    hint: 'Send the nextCursor of the page before, with the same search.',
  });
}
