import { type RunningProcess, lastLines, startProcess } from '../../e2e/stack/child-process';
import { freePort } from '../../e2e/stack/free-port';
import { until } from '../../e2e/stack/until';
import { asPostgres, folderOfPostgres, SERVER_ENVIRONMENT } from './as-postgres';

/** A single etcd: where the members of a Patroni cluster agree on their leader. One is enough where it is not what is broken. */
export class Etcd {
  private constructor(
    private readonly process: RunningProcess,
    /** As Patroni wants it: `host:port`. */
    readonly address: string,
  ) {}

  /** @param folder a new one */
  static async start(folder: string): Promise<Etcd> {
    folderOfPostgres(folder);
    const client = `http://127.0.0.1:${await freePort()}`;
    const peer = `http://127.0.0.1:${await freePort()}`;
    const options = {
      name: 'one',
      'data-dir': folder,
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `one=${peer}`,
    };
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    const logFile = `${folder}.log`;
    const started = startProcess({ ...asPostgres('etcd', args), env: SERVER_ENVIRONMENT, cwd: folder, logFile });
    await until(async () => started.exited || (await fetch(`${client}/health`)).ok, {
      what: 'etcd to be healthy',
      timeoutMs: 60_000,
    });
    if (started.exited) throw new Error(`etcd ended:\n${lastLines(logFile, 20)}`);
    return new Etcd(started, new URL(client).host);
  }

  async stop(): Promise<void> {
    await this.process.end('SIGTERM');
  }
}
