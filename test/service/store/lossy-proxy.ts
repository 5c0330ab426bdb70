import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to PostgreSQL on which answers can be lost: the statement arrives and is carried out, its answer does not. */
export interface LossyProxy {
  /** The database's URL, by way of the proxy. */
  readonly url: string;
  /** From now on the answer to everything that writes is lost, and its connection with it. */
  loseAnswers(): void;
  /** New connections and answers go through again. */
  mend(): void;
  /** How many connections were cut. */
  readonly cut: number;
  close(): Promise<void>;
}

/** The text of a statement that writes, or the name that it was prepared under. */
const WRITES = /INSERT INTO action_ledger|al_write/;
/** "Z", the length and the state: the server is through with it, and has committed (PostgreSQL manual, 54.7). */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);

export async function lossyProxy(databaseUrl: string): Promise<LossyProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let losing = false;
  let cut = 0;
  const server: Server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let writing = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (data) => {
      writing ||= losing && WRITES.test(data.toString('latin1'));
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (!writing) client.write(data);
      else if (data.includes(READY_FOR_QUERY)) {
        cut++;
        client.destroy();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    loseAnswers: () => {
      losing = true;
    },
    mend: () => {
      losing = false;
    },
    get cut() {
      return cut;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
