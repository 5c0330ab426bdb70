import { type TSchema } from '@sinclair/typebox';
import { type FastifyInstance, type FastifyRequest } from 'fastify';

import { type Problem } from '../../domain/problem';
import { type Scope } from '../../store/api-keys';
import { keyOf } from '../authentication';
import { type Batch, itemAnswers } from '../items';
import { compile, type RequestPart } from '../validation';

export interface BatchRoute {
  url: string;
  batch: Batch;
  answer: TSchema;
  scopes: readonly Scope[];
  summary: string;
  description: string;
  tag: string;
  /** Settles the items of a body for a workspace. */
  settle: (workspaceNo: number, request: FastifyRequest) => Promise<(object | Problem)[]>;
}

/** A call for 1 to 1,000 items, each answered in its place. */
export function addBatchRoute(app: FastifyInstance, ledgerId: string, route: BatchRoute): void {
  const { url, batch, answer, scopes, summary, description, tag, settle } = route;
  app.post(url, {
    config: { scopes },
    schema: { summary, description, tags: [tag], body: batch.body, response: { 200: answer } },
    validatorCompiler: ({ httpPart, schema }) =>
      compile(httpPart === 'body' ? batch.envelope : (schema as object), httpPart as RequestPart),
    handler: async (request) => ({
      ledgerId,
      results: itemAnswers(batch.name, await settle(keyOf(request).workspaceNo, request)),
    }),
  });
}
