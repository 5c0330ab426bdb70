import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import type { Redis, RedisOptions } from 'ioredis';

import { ReplyGuard } from './redis-reply-guard';

const CONNECT_MS = 3_000;
const COMMAND_MS = 2_000;
/** From the end of a connection that was asked for to when it is cut. */
const DISCONNECT_MS = 100;

/** What a Redis server sends and its client was not given. */
export class LyingRedisError extends Error {
  override readonly name = 'LyingRedisError';
}

/**
 * A connection that is made once and, when anything goes wrong with it, is over: nothing is queued or sent again. Not
 * connected yet. The client is loaded here: whoever does without Redis does not pay for it.
 */
export async function redisConnection(url: string, onError: (error: Error) => void): Promise<Redis> {
  const { AbstractConnector, Redis } = await import('ioredis');

  /** The client's own way to connect, with the guard on the socket. */
  class GuardedConnector extends AbstractConnector {
    private readonly settings: RedisOptions;

    constructor(options: unknown) {
      super(DISCONNECT_MS);
      this.settings = options as RedisOptions;
    }

    connect(): Promise<Socket> {
      const { host = 'localhost', port = 6379, path, family = 0, tls } = this.settings;
      const where = path === undefined ? { host, port, family } : { path };
      this.connecting = true;
      const socket = tls == null ? connectPlain(where) : connectTls({ ...where, ...tls });
      socket.once('error', (error: Error) => {
        this.firstError = error;
      });
      guard(socket);
      this.stream = socket;
      return Promise.resolve(socket);
    }
  }

  const redis = new Redis(url, {
    lazyConnect: true,
    Connector: GuardedConnector,
    // Understood by every version of Redis and by what stands in for it.
    protocol: 2,
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    enableReadyCheck: false,
    disableClientInfo: true,
  });
  redis.on('error', onError);
  return redis;
}

/** Nothing that is objected to is ever pushed to who reads the socket. */
function guard(socket: Socket): void {
  const replies = new ReplyGuard();
  const push = socket.push.bind(socket);
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    const objection = Buffer.isBuffer(chunk) ? replies.objection(chunk) : null;
    if (objection === null) return push(chunk, encoding);
    socket.destroy(new LyingRedisError(`Redis was left alone: ${objection}`));
    return false;
  };
}
