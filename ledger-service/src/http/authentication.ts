import { type FastifyInstance, type FastifyRequest } from 'fastify';

import { Problem } from '../domain/problem';
import { type ApiKey, type ApiKeys, type Scope } from '../store/api-keys';
import { pausePoint } from '../store/pause-point';

declare module 'fastify' {
  interface FastifyRequest {
    /** The API key that the request came with; null on routes that are open. */
    apiKey: ApiKey | null;
  }
  interface FastifyContextConfig {
    /** Any one of these scopes opens the route; an empty list takes any valid key; absent: open to all. */
    scopes?: readonly Scope[];
  }
}

const BEARER = /^Bearer +([\x21-\x7e]{1,200}) *$/i;

/** RFC 6750 bearer tokens. Before the body is read: who may not ask is not listened to. */
export function authenticate(app: FastifyInstance, apiKeys: ApiKeys): void {
  app.decorateRequest('apiKey', null);
  app.addHook('onRequest', async (request, reply) => {
    const { scopes } = request.routeOptions.config;
    if (scopes === undefined) return;
    const secret = BEARER.exec(request.headers.authorization ?? '')?.[1];
    const key = secret === undefined ? undefined : await apiKeys.find(secret);
    await pausePoint('API key found');
    if (key === undefined) {
      void reply.header('www-authenticate', 'Bearer realm="action-ledger"');
      throw unauthorized(request.headers.authorization, secret);
    }
    if (scopes.length > 0 && !scopes.some((scope) => key.scopes.includes(scope))) {
      void reply.header(
        'www-authenticate',
        `Bearer realm="action-ledger", error="insufficient_scope", scope="${scopes.join(' ')}"`,
      );
      throw new Problem(
        'forbidden',
        `The API key "${key.name}" has the scopes ${key.scopes.join(', ') || '(none)'}; this call needs ${scopes.join(' or ')}. Nothing was done.`,
        { field: 'Authorization', hint: 'Use a key with that scope: action-ledger keys create --scope …' },
      );
    }
    request.apiKey = key;
  });
}

function unauthorized(header: string | undefined, secret: string | undefined): Problem {
  const why =
    header === undefined
      ? 'The request has no Authorization header.'
      : secret === undefined
        ? 'The Authorization header is not of the form "Bearer <API key>".'
        : 'This API key is unknown, revoked or expired.';
  return new Problem('unauthorized', `${why} Nothing was done.`, {
    field: 'Authorization',
    hint: 'Send Authorization: Bearer <API key>; action-ledger keys list shows which keys there are.',
  });
}

/** The key of a request whose route asks for one. */
export function keyOf(request: FastifyRequest): ApiKey {
  if (request.apiKey === null) throw new Error(`The route ${request.routeOptions.url ?? ''} has no scopes`);
  return request.apiKey;
}
