import { fastify, type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';

import { type Ledger } from '../store/ledger';
import { refuseBadQueries } from './address-encoding';
import { authenticate } from './authentication';
import { FaultLog } from './fault-log';
import { addLedgerGauges } from './ledger-gauges';
import { answerMalformedRequest } from './malformed-requests';
import { Metrics } from './metrics';
import { describeApi } from './openapi';
import { isServerFault, problemOf, sendProblem } from './problem-answer';
import { MAX_BODY_BYTES, readJsonBodies } from './request-body';
import { actionRoutes } from './routes/actions';
import { claimRoutes } from './routes/claims';
import { healthRoutes } from './routes/health';
import { heldClaimRoutes } from './routes/held-claims';
import { operationRoutes } from './routes/operations';
import { reconciliationRoutes } from './routes/reconciliation';
import { type RouteContext } from './routes/route-context';
import { whoamiRoutes } from './routes/whoami';
import { answerUnknownRoutes } from './unknown-routes';
import { compile, type RequestPart } from './validation';

export interface AppOptions {
  ledger: Ledger;
  ledgerId: string;
  version: string;
  log: FastifyBaseLogger;
  metrics?: Metrics;
}

/** The HTTP side of a ledger. Closing it answers those who wait and finishes what is under way. */
export async function buildApp({
  ledger,
  ledgerId,
  version,
  log,
  metrics = new Metrics(),
}: AppOptions): Promise<FastifyInstance> {
  const ending = new AbortController();
  const app = fastify({
    loggerInstance: log,
    // A claim takes tens of microseconds; a line, a child logger and an ID for each would take as long again.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    bodyLimit: MAX_BODY_BYTES,
    // What arrives on an open connection while we end is still answered, with `Connection: close`.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 5_000 },
    frameworkErrors: (error, _request, reply) => {
      void sendProblem(reply, problemOf(error));
    },
    clientErrorHandler: answerMalformedRequest,
    // The caller's time to send its request; a slow one must not hold a connection for ever.
    requestTimeout: 60_000,
  });
  const context: RouteContext = { ledger, ledgerId, metrics, version, ending: ending.signal };

  app.addHook('preClose', (done) => {
    ending.abort();
    done();
  });
  const faults = new FaultLog(log);
  app.setErrorHandler((thrown, request, reply) => {
    const problem = problemOf(thrown);
    if (isServerFault(problem)) faults.add(problem, request.routeOptions.url);
    return sendProblem(reply, problem);
  });
  // The answers are made by us and typed; checking each against its schema again would cost more than making it.
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
  app.setValidatorCompiler(({ schema, httpPart }) => compile(schema as object, httpPart as RequestPart));
  app.addHook('onRequest', (_request, reply, done) => {
    // Claim tokens are secrets: nobody on the way may keep an answer.
    void reply.headers({ 'x-ledger-id': ledgerId, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    metrics.request({ route, method: request.method, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });

  readJsonBodies(app);
  authenticate(app, ledger.apiKeys);
  answerUnknownRoutes(app);
  refuseBadQueries(app);
  await describeApi(app, version);
  claimRoutes(app, context);
  heldClaimRoutes(app, context);
  actionRoutes(app, context);
  reconciliationRoutes(app, context);
  operationRoutes(app, context);
  whoamiRoutes(app, context);
  healthRoutes(app, context);
  addLedgerGauges(metrics, ledger);
  return app;
}
