import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

import { until } from '../e2e/stack/until';
import { PatientCallers } from './patient-callers';

const DECISION = '{"results":[{"decision":"proceed"}]}';

let server: Server | undefined;
let callers: PatientCallers | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await callers?.stop();
});

async function asking(answer: RequestListener): Promise<PatientCallers> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  callers = new PatientCallers({ url, answeredWithinMs: 1_000, recoversWithinMs: 3_000 });
  return callers;
}

it('finds nothing wrong with decisions, and with being asked to come again', async () => {
  let turn = 0;
  const asked = await asking((_request, response) => {
    if (turn++ % 2 === 0) response.writeHead(503, { 'retry-after': '1' }).end('{}');
    else response.end(DECISION);
  });
  await asked.recovered();
  expect(asked.decided).toBeGreaterThanOrEqual(5);
  expect(asked.putOff).toBeGreaterThan(0);
});

it('finds who is left hanging', async () => {
  const asked = await asking(() => undefined);
  await expect(asked.recovered()).rejects.toThrow(/not answered|waited \d+ ms/);
});

it('finds who is answered too late', async () => {
  const asked = await asking((_request, response) => {
    setTimeout(() => response.end(DECISION), 1_300);
  });
  await until(() => asked.decided > 0, { what: 'an answer' });
  await expect(asked.recovered()).rejects.toThrow(/waited \d+ ms for an answer/);
});

it.each([
  ['an error', 500, '{}'],
  ['an outage without a time to come again', 503, '{}'],
  ['an answer whose item is an error', 200, '{"results":[{"error":{}}]}'],
] as const)('finds %s', async (_name, status, body) => {
  const asked = await asking((_request, response) => {
    response.writeHead(status).end(body);
  });
  await expect(asked.recovered()).rejects.toThrow(`answered ${status}`);
});

it('finds a ledger that does not decide again', async () => {
  const asked = await asking((_request, response) => {
    response.writeHead(503, { 'retry-after': '1' }).end('{}');
  });
  await expect(asked.recovered()).rejects.toThrow(/in vain for claims to be decided again/);
});
