import type { Answered, Reply } from './reply';

export interface DirectCallOptions {
  idempotencyKey?: string;
  /** The caller gives up: the call rejects with the signal's reason, and the effect happens or not as it would have. */
  signal?: AbortSignal;
}

/** The connection broke: whether there was an effect is not known to the caller. */
export class ConnectionReset extends Error {
  override readonly name = 'ConnectionReset';
  readonly code = 'ECONNRESET';
}

/**
 * A request without HTTP, for loads whose cost must not lie in the destination. Gives what an HTTP client would see, and
 * rejects with {@link ConnectionReset} or the signal's reason where an HTTP client would have no answer. Without a
 * signal a call that is never answered ends with the system (`ended`).
 */
export function directCall(
  ask: () => Promise<Reply>,
  { signal, ended }: { signal: AbortSignal | undefined; ended: AbortSignal },
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    // Who gave up before asking has not asked.
    signal?.throwIfAborted();
    const reset = (): void => settle(() => reject(new ConnectionReset('The destination reset the connection')));
    const gaveUp = (): void => settle(() => reject(signal?.reason as Error));
    const settle = (end: () => void): void => {
      signal?.removeEventListener('abort', gaveUp);
      ended.removeEventListener('abort', reset);
      end();
    };
    signal?.addEventListener('abort', gaveUp);
    ended.addEventListener('abort', reset);
    ask().then(
      (reply) => {
        if (reply === 'reset') reset();
        else if (reply !== 'silence') settle(() => resolve(reply));
      },
      (error: Error) => settle(() => reject(error)),
    );
  });
}
