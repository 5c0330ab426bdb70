import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

import { lastLines, startProcess, type RunningProcess } from './child-process';
import { freePort } from './free-port';
import { until } from './until';

export const redisIsMissing =
  'There is no redis-server on this machine, so n8n\'s queue mode cannot be tried. Install it ("apt-get install redis-server").';

export function redisIsInstalled(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** A Redis of its own that keeps nothing on disk: what was in it is gone when it was killed. */
export class RedisServer {
  private process: RunningProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly logFile: string,
  ) {}

  static async start(folder: string, logFile: string): Promise<RedisServer> {
    if (!redisIsInstalled()) throw new Error(redisIsMissing);
    const server = new RedisServer(await freePort(), folder, logFile);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const { port, folder, logFile } = this;
    const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
    const started = startProcess({
      command: 'redis-server',
      args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
      env: { PATH: process.env.PATH },
      logFile,
    });
    this.process = started;
    await until(async () => started.exited || (await this.command('PING')).startsWith('+PONG'), {
      what: 'Redis to answer',
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${lastLines(logFile, 20)}`);
    });
    if (started.exited) throw new Error(`Redis ended while it started:\n${lastLines(logFile, 20)}`);
  }

  async kill(): Promise<void> {
    await this.process?.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.process?.end('SIGTERM');
  }

  /**
   * One command without blanks in its words, as Redis takes it from a telnet session. Gives the answer as it is sent.
   * @throws when Redis cannot be reached or answers an error
   */
  async command(...words: string[]): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      socket.write(`${words.join(' ')}\r\n`);
      const [answer] = (await once(socket, 'data', { signal: AbortSignal.timeout(5_000) })) as [Buffer];
      const text = answer.toString('utf8');
      if (text.startsWith('-')) throw new Error(`Redis refused ${words[0]}: ${text.slice(1).trim()}`);
      return text;
    } finally {
      socket.destroy();
    }
  }
}
