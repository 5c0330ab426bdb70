import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { Redis } from 'ioredis';

import { lastLines, type RunningProcess, startProcess } from '../../e2e/stack/child-process';
import { freePort } from '../../e2e/stack/free-port';
import { until } from '../../e2e/stack/until';

export const REDIS_IS_MISSING = 'there is no redis-server on this machine (Debian: apt-get install redis-server)';

export const redisIsInstalled = (): boolean =>
  spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;

/** A Redis of its own that keeps nothing on disk. It can be killed, stopped and started again on its port. */
export class RedisServer {
  private process: RunningProcess | undefined;
  private clients: Redis[] = [];

  private constructor(
    private readonly port: number,
    private readonly folder: string,
  ) {}

  /** @param folder for its log */
  static async start(folder: string): Promise<RedisServer> {
    if (!redisIsInstalled()) throw new Error(`Redis cannot be started: ${REDIS_IS_MISSING}`);
    const server = new RedisServer(await freePort(), folder);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const { port, folder } = this;
    const logFile = path.join(folder, `redis-${port}.log`);
    const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
    const started = startProcess({
      command: 'redis-server',
      args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
      env: { PATH: process.env['PATH'] },
      logFile,
    });
    this.process = started;
    await until(async () => started.exited || (await this.answers()), {
      what: 'Redis to answer',
      timeoutMs: 30_000,
      everyMs: 20,
    });
    if (started.exited) throw new Error(`Redis ended while it started:\n${lastLines(logFile, 20)}`);
  }

  /** A client that tries once; its errors are those of its commands. */
  client(): Redis {
    const client = new Redis(this.url, { retryStrategy: () => null, connectTimeout: 30_000, commandTimeout: 60_000 });
    client.on('error', () => undefined);
    this.clients.push(client);
    return client;
  }

  /** SIGSTOP is a Redis that accepts connections and never answers. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.running.pid, signal);
  }

  /** Resolves when the process is gone. */
  async kill(): Promise<void> {
    await this.running.end('SIGKILL');
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.disconnect();
    await this.process?.end('SIGKILL');
  }

  private get running(): RunningProcess {
    if (this.process === undefined) throw new Error('Redis was not started');
    return this.process;
  }

  private async answers(): Promise<boolean> {
    const client = new Redis(this.url, {
      lazyConnect: true,
      retryStrategy: () => null,
      connectTimeout: 2_000,
      commandTimeout: 2_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.ping()) === 'PONG';
    } finally {
      client.disconnect();
    }
  }
}
