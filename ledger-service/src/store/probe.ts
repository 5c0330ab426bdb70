import { randomUUID } from 'node:crypto';

const PREFIX = 'probe:';

/**
 * A message to oneself. That a connection is open says nothing of whether messages come: a pooler, a half-open
 * connection or a server that lies would leave waiters waiting. So a way is relied on only while its probes come back.
 */
export class Probe {
  private expected: { text: string; arrived: () => void } | null = null;

  /** True for a probe, also one of another process: it tells of no change. */
  heard(message: string): boolean {
    if (message === this.expected?.text) this.expected.arrived();
    return message.startsWith(PREFIX);
  }

  /** Whether what `send` sends is heard in time. Throws where it could not be sent. */
  async comesBack(send: (text: string) => Promise<unknown>, withinMs: number): Promise<boolean> {
    const text = PREFIX + randomUUID();
    let timer: NodeJS.Timeout | undefined;
    const heard = new Promise<boolean>((resolve) => {
      this.expected = {
        text,
        arrived: () => {
          resolve(true);
        },
      };
      timer = setTimeout(() => {
        resolve(false);
      }, withinMs).unref();
    });
    try {
      // Sent and heard in either order; what cannot be sent ends it at once.
      return await Promise.race([heard, send(text).then(() => heard)]);
    } finally {
      clearTimeout(timer);
      this.expected = null;
    }
  }
}
