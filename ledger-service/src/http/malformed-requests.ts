import { type Socket } from 'node:net';

import { Problem } from '../domain/problem';
import { problemBody } from './problem-answer';

const STATUS_LINES: Record<string, [string, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are larger than 16 KiB'],
};

/** What is not HTTP never becomes a request; it is answered on the bare connection. */
export function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [statusLine, what] = STATUS_LINES[error.code ?? ''] ?? ['400 Bad Request', 'This is not an HTTP request'];
  const problem = new Problem('invalid_request', `${what}. Nothing was done.`, { field: 'request' });
  const body = JSON.stringify({ ...problemBody(problem), status: Number(statusLine.slice(0, 3)) });
  if (socket.writable) {
    socket.end(
      `HTTP/1.1 ${statusLine}\r\nContent-Type: application/problem+json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  } else socket.destroy();
}
