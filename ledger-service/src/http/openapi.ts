import swagger from '@fastify/swagger';
import { type FastifyInstance, type RouteOptions } from 'fastify';

import { PROBLEM_STATUS } from '../domain/problem';
import { the } from './schemas/field-types';
import { ProblemSchema } from './schemas/problem';
import { NAMED_SCHEMAS } from './schemas';
import { know } from './validation';

/** Collects the routes' schemas into one OpenAPI 3.1 document. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  know(NAMED_SCHEMAS);
  for (const schema of NAMED_SCHEMAS) app.addSchema(schema);
  app.addHook('onRoute', addWhatAllShare);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Action Ledger', version, description: ABOUT, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: 'http://127.0.0.1:8787', description: 'The default address of `action-ledger serve`' }],
      tags: TAGS,
      components: {
        securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `al_…`' } },
      },
    },
    refResolver: {
      buildLocalReference: (schema, _baseUri, _fragment, index) =>
        (schema.$id as string | undefined) ?? `schema-${index}`,
    },
  });
}

interface RouteSchema {
  description?: string;
  security?: object[];
  body?: unknown;
  headers?: unknown;
  params?: unknown;
  querystring?: unknown;
  response?: Record<number | string, unknown>;
}

/** Scopes, and the problems that a route can answer with. */
function addWhatAllShare({ schema: given, config, method, url }: RouteOptions): void {
  if (given === undefined || method === 'HEAD') return;
  const schema = given as RouteSchema;
  const takesInput = [schema.body, schema.params, schema.querystring].some((part) => part !== undefined);
  const problems = [
    ...(takesInput ? [400] : []),
    ...(config?.scopes === undefined ? [] : [401, ...(config.scopes.length > 0 ? [403] : [])]),
    ...(url.includes(':id') ? [404] : []),
    ...(schema.params === undefined || schema.body === undefined ? [] : [409]),
    ...(schema.body === undefined ? [] : [413, 415]),
    ...(config?.scopes === undefined ? [] : [500]),
    ...(config?.scopes === undefined && url !== '/readyz' ? [] : [503]),
  ];
  if (config?.scopes !== undefined) {
    schema.security = [{ apiKey: [] }];
    schema.description = `${schema.description ?? ''}\n\n${scopeSentence(config.scopes)}`;
  }
  schema.response = {
    ...schema.response,
    ...Object.fromEntries(problems.map((status) => [status, problemAnswer(status)])),
  };
}

const scopeSentence = (scopes: readonly string[]): string =>
  scopes.length === 0 ? 'Any valid key.' : `Scope: ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;

const problemAnswer = (status: number): object => ({
  description: Object.entries(PROBLEM_STATUS)
    .filter(([, one]) => one === status)
    .map(([code]) => `\`${code}\``)
    .join(', '),
  content: { 'application/problem+json': { schema: the(ProblemSchema) } },
});

const ABOUT = [
  'Decides in PostgreSQL whether an action may be carried out, and keeps what became of it.',
  '',
  'Bodies and answers are JSON in UTF-8. Times are RFC 3339 in UTC by the clock of the database. A call for many items is answered with 200 and a result per item; an item that is wrong by itself gets `{"error": …}` in its place. Only a broken envelope, a missing scope or a ledger that cannot decide answers the whole call with a problem (RFC 9457).',
  '',
  'An answer of 5xx, or none, says nothing about what was recorded: send the same request again with the same request token, and do not carry out the action meanwhile.',
].join('\n');

const TAGS = [
  { name: 'Claims', description: 'Before the action: may it be carried out?' },
  { name: 'Receipts', description: 'After it: what became of it.' },
  { name: 'Actions', description: 'Looking up what the ledger knows.' },
  { name: 'Reconciliation', description: 'Finding out about actions whose outcome is not known.' },
  { name: 'Operations', description: 'What an operation allows.' },
  { name: 'Service', description: 'The key in use, health, metrics.' },
];
