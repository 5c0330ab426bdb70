import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

import { Problem } from '../domain/problem';
import { sendProblem } from './problem-answer';

/** An address that exists under other methods is a 405 that names them; any other is a 404. */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const one of [method].flat()) route.methods.add(one);
    routes.set(url, route);
  });
  // Before the body: a wrong one is not what is wrong here.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) sendUnknown(request, reply);
    else done();
  });
  app.setNotFoundHandler(sendUnknown);

  function sendUnknown(request: FastifyRequest, reply: FastifyReply): void {
    const path = request.url.replace(/\?.*$/s, '');
    const methods = [...routes.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((route) => [...route.methods]);
    if (methods.length > 0) void reply.header('allow', methods.join(', '));
    void sendProblem(reply, methods.length > 0 ? wrongMethod(request.method, methods) : NOWHERE);
  }
}

const wrongMethod = (method: string, methods: readonly string[]): Problem =>
  new Problem('method_not_allowed', `This address takes ${methods.join(', ')}, not ${method}. Nothing was done.`, {
    field: 'method',
  });

const NOWHERE = new Problem('not_found', 'The API has no such address. Nothing was done.', {
  field: 'path',
  hint: 'GET /openapi.json describes what there is.',
});

const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll('.', '\\.').replace(/:[A-Za-z]+/g, '[^/]+')}/?$`);
