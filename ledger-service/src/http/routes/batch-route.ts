import { type TSchema } from '@sinclair/typebox';
import { type FastifyInstance, type FastifyRequest } from 'fastify';

import { type Problem } from '../../domain/problem';
import { type Scope } from '../../store/api-keys';
import { pausePoint } from '../../store/pause-point';
import { keyOf } from '../authentication';
import { type Batch, itemAnswers } from '../items';
import { compile } from '../validation';

export interface BatchRoute {
  url: string;
  batch: Batch;
  answer: TSchema;
  scopes: readonly Scope[];
  summary: string;
  description: string;
  tag: string;
  /** Headers that the document should name; the route checks them itself. */
  headers?: TSchema;
  /** Settles the items of a body for a workspace; may add members to the answer's envelope. */
  settle: (
    workspaceNo: number,
    request: FastifyRequest,
    envelope: Record<string, unknown>,
  ) => Promise<(object | Problem)[]>;
}

/** A call for 1 to 1,000 items, each answered in its place. */
export function addBatchRoute(app: FastifyInstance, ledgerId: string, route: BatchRoute): void {
  const { url, batch, answer, scopes, summary, description, tag, headers, settle } = route;
  app.post(url, {
    config: { scopes },
    schema: {
      summary,
      description,
      tags: [tag],
      body: batch.body,
      response: { 200: answer },
      ...(headers && { headers }),
    },
    validatorCompiler: ({ httpPart }) => (httpPart === 'body' ? compile(batch.envelope) : () => true),
    handler: async (request) => {
      const envelope: Record<string, unknown> = { ledgerId };
      const results = await settle(keyOf(request).workspaceNo, request, envelope);
      await pausePoint('batch results known');
      return { ...envelope, results: itemAnswers(batch.name, results) };
    },
  });
}
