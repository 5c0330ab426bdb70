import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';

import type { Outcome } from './effect-desk';

export interface ReceivedMail {
  /** Recipient and order, as the mail system counts. */
  reference: string;
  to: string;
  orderId: string;
  subject: string;
  text: string;
}

export interface SmtpDestination {
  port: number;
  close: () => Promise<void>;
}

/**
 * The SMTP door. `accept` decides what becomes of a mail; it is asked when the whole message is there (only then is the order known), which is
 * also the moment at which a real mail server's answer can be lost.
 */
export async function listenSmtp(accept: (mail: ReceivedMail) => Promise<Outcome>): Promise<SmtpDestination> {
  const sockets = new Set<{ destroy: () => void }>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    // Silent connections are closed when the server stops; the default would wait 30 s for each.
    closeTimeout: 100,
    logger: false,
    onData(stream, session, done) {
      receive(stream, session).then(
        (reply) => reply !== null && done(null, reply),
        (error: Error) => done(error),
      );
    },
  });
  // A client that goes away, or is reset by us, is no error of this server.
  server.on('error', () => undefined);
  server.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };

  /** The reply that is sent, or null where none is. */
  async function receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string | null> {
    const outcome = await accept(await readMail(stream, session));
    switch (outcome.kind) {
      case 'done':
        return `OK: queued as ${outcome.effect.id}`;
      case 'empty':
        return 'OK';
      case 'error':
        throw smtpError(outcome.status ?? 451, 'Try again later');
      case 'refusal':
        throw smtpError(outcome.status ?? 550, 'No such user here');
      case 'reset':
        for (const socket of sockets) {
          if ('remotePort' in socket && socket.remotePort === session.remotePort) reset(socket);
        }
        return null;
      case 'silence':
        return null;
    }
  }
}

async function readMail(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<ReceivedMail> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const parsed = await PostalMime.parse(Buffer.concat(chunks));
  const to = session.envelope.rcptTo.map(({ address }) => address).join(',');
  const subject = parsed.subject ?? '';
  const orderId = /\border ([^\s)]+)/.exec(subject)?.[1] ?? '';
  return { reference: `${to} ${orderId}`, to, orderId, subject, text: parsed.text ?? '' };
}

function reset(socket: object): void {
  (socket as { resetAndDestroy: () => void }).resetAndDestroy();
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
