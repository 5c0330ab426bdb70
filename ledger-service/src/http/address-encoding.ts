import { type FastifyInstance } from 'fastify';

import { Problem } from '../domain/problem';

/**
 * Refuses a query that is not percent-encoded UTF-8. It would be read as it stands, and a search would find nothing
 * instead of saying why. (The path is refused by the router.)
 */
export function refuseBadQueries(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const start = request.url.indexOf('?');
    const wrong =
      start < 0
        ? undefined
        : request.url
            .slice(start + 1)
            .split('&')
            .find((pair) => !isDecodable(pair));
    if (wrong === undefined) done();
    else done(refusal(wrong));
  });
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function refusal(pair: string): Problem {
  const name = pair.split('=')[0] ?? '';
  const field = name !== '' && isDecodable(name) ? decodeURIComponent(name).slice(0, 60) : 'query';
  return new Problem('invalid_request', `${field} is not correctly percent-encoded UTF-8. Nothing was done.`, {
    field,
  });
}
