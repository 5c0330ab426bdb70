import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that breaks: connections are cut in the midst, requests arrive and their answers do not. */
export interface BreakableWay {
  /** The address by way of it. */
  through(url: string): string;
  /** Cuts every connection that there is, whatever is on its way. */
  cut(): void;
  /** The answers to so many of the next requests that it concerns are lost, and their connections with them. */
  loseAnswers(answers: number): void;
  stop(): Promise<void>;
}

export interface Losses {
  /** Whether these bytes are of a request whose answer may be lost. */
  readonly concerns: (request: Buffer) => boolean;
  /** Whether, with these bytes, the server is through with it. */
  readonly answered: (answer: Buffer) => boolean;
}

export async function breakableWay(to: string, { concerns, answered }: Losses): Promise<BreakableWay> {
  const target = new URL(to);
  const clients = new Set<Socket>();
  let toLose = 0;
  const server = createServer((client) => {
    const upstream = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    let losing = false;
    clients.add(client);
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clients.delete(client);
        client.destroy();
        upstream.destroy();
      });
    }
    client.setNoDelay(true).on('data', (bytes) => {
      if (!losing && toLose > 0 && concerns(bytes)) {
        losing = true;
        toLose--;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!losing) client.write(bytes);
      else if (answered(bytes)) client.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => clients.forEach((client) => client.destroy());
  return {
    through(url) {
      const via = new URL(url);
      via.hostname = '127.0.0.1';
      via.port = String((server.address() as AddressInfo).port);
      return via.href.replace(/\/$/, '');
    },
    cut,
    loseAnswers: (answers) => {
      toLose += answers;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
