import { Socket } from 'node:net';

import { Client, type ClientConfig } from 'pg';

/**
 * A connection to PostgreSQL whose socket can be let go of without a goodbye: one that fell silent never answers a
 * goodbye, `end` would wait for ever, and the open socket would keep the process.
 */
export class ServerConnection extends Client {
  /** On the clock of `performance.now()`. */
  readonly madeAt = performance.now();
  private warning: string | undefined;

  constructor(
    config: ClientConfig,
    private readonly socket = new Socket(),
  ) {
    super({ ...config, stream: () => socket });
    // A lost connection is reported by the query that meets it; without a listener it would end the process.
    this.on('error', () => undefined);
    this.on('notice', (notice) => {
      if (notice.severity === 'WARNING') this.warning = notice.message ?? 'no text';
    });
  }

  /** The warning that a statement was answered with since this was asked last. */
  takeWarning(): string | undefined {
    const { warning } = this;
    this.warning = undefined;
    return warning;
  }

  /** Says goodbye, and lets go of the socket when that is not answered in time. */
  async endWithin(timeMs: number): Promise<void> {
    const late = setTimeout(() => {
      this.drop();
    }, timeMs);
    await this.end().catch(() => undefined);
    clearTimeout(late);
  }

  /** What is under way fails, and whoever waits for the connection to end waits no longer. */
  drop(): void {
    this.socket.destroy();
  }
}
