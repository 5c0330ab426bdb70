import { freePort } from './free-port';
import { n8nEnvironment } from './n8n-environment';
import { N8nProcess, type N8nOptions } from './n8n-process';

/** The process with the editor and the webhooks; without a queue it runs the executions too. */
export class N8nServer extends N8nProcess {
  private constructor(
    options: N8nOptions,
    environment: NodeJS.ProcessEnv,
    readonly url: string,
  ) {
    // The webhooks are registered before n8n says so; /healthz answers earlier.
    super(options, { name: 'n8n', args: ['start'], isUp: /Editor is now accessible/ }, environment);
  }

  static async start(options: N8nOptions): Promise<N8nServer> {
    const port = await freePort();
    const more = { N8N_PORT: String(port), ...options.environment };
    const environment = n8nEnvironment({ ...options, runnersPort: await freePort(), more });
    const server = new N8nServer(options, environment, `http://127.0.0.1:${port}`);
    await server.start();
    return server;
  }
}

/** In queue mode: a process that takes executions out of the queue. */
export class N8nWorker extends N8nProcess {
  static async start(options: N8nOptions): Promise<N8nWorker> {
    const environment = n8nEnvironment({ ...options, runnersPort: await freePort(), more: options.environment });
    const role = { name: 'an n8n worker', args: ['worker', '--concurrency=10'], isUp: /n8n worker is now ready/ };
    const worker = new N8nWorker(options, role, environment);
    await worker.start();
    return worker;
  }
}
