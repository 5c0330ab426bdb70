import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ReceiptAnswer } from '../../model/checker';
import type { Receipt } from '../load/receipt';
import type { Claimed, FromWorker, Job, LedgerOperation, Moment, ToWorker } from './job';

/**
 * A worker in a process of its own, which can be killed and stopped: it claims, calls the destination and records the
 * receipt, all over HTTP. It is compiled by itself (`compile-worker.ts`), so it imports nothing but Node.js and types.
 */

const PATIENCE_MS = 60_000;
const CALL_MS = 10_000;

let go: () => void = () => undefined;

process.on('message', (message: ToWorker) => {
  if (message.type === 'go') return go();
  work(message.job).then(
    () => tell({ type: 'ended', error: null }),
    (error: Error) => tell({ type: 'ended', error: error.stack ?? error.message }),
  );
});
// Whoever started it is gone: so is its work.
process.on('disconnect', () => process.exit());
tell({ type: 'ready' });

async function work(job: Job): Promise<void> {
  const claimed = await claim(job);
  if (claimed.decision !== 'proceed' || claimed.claimToken === null) return;
  if (job.tellAt === 'claimed') await toldAndLetGo({ type: 'moment', moment: 'claimed' });
  const calling = call(job, claimed.idempotencyKey);
  pass(job, 'call-under-way');
  await record(job, claimed.claimToken, await calling);
}

function tell(message: FromWorker): void {
  process.send?.(message);
}

function pass({ tellAt }: Job, moment: Moment): void {
  if (tellAt === moment) tell({ type: 'moment', moment });
}

async function toldAndLetGo(message: FromWorker): Promise<void> {
  const letGo = new Promise<void>((resolve) => (go = resolve));
  tell(message);
  await letGo;
}

async function claim(job: Job): Promise<Claimed> {
  const { subject, operation, eventId, leaseSeconds, waitMs } = job;
  const requestToken = randomUUID();
  const details = { order: subject, seats: 1 };
  const executionId = `${process.pid}/${requestToken}`;
  return ask<Claimed>(job, '/v1/claims', {
    operation: {
      kind: 'claim',
      requestToken,
      leaseMs: leaseSeconds * 1_000,
      details: JSON.stringify(details),
      sendsIdempotencyKey: true,
      holder: executionId,
    },
    body: {
      requestToken,
      waitMs,
      claims: [
        {
          subject,
          operation,
          leaseSeconds,
          event: { source: 'shop', id: eventId },
          details,
          holder: { kind: 'worker', executionId, sendsIdempotencyKey: true },
        },
      ],
    },
  });
}

/** The step. Anything but a plain answer leaves open what happened. */
async function call({ destinationUrl, subject, stepMs }: Job, idempotencyKey: string | null): Promise<Receipt> {
  try {
    const headers: Record<string, string> = idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey };
    const { status, text } = await post(`${destinationUrl}/bookings`, headers, { orderId: subject }, stepMs);
    if (status === 201) {
      return { outcome: 'confirmed', reference: (JSON.parse(text) as { reference: string }).reference };
    }
    const known = status >= 400 && status < 500;
    return { outcome: known ? 'failed' : 'unknown', cause: `answered ${status}` };
  } catch (error) {
    return { outcome: 'unknown', cause: `no answer: ${(error as Error).message}` };
  }
}

async function record(job: Job, claimToken: string, receipt: Receipt): Promise<void> {
  const { outcome, reference } = receipt;
  const references = reference === undefined ? [] : [reference];
  await ask<ReceiptAnswer>(job, '/v1/receipts', {
    operation: { kind: 'receipt', claimToken, outcome, references },
    body: { receipts: [{ claimToken, ...receipt }] },
  });
}

/** The answer to the one item of a call. What was not answered is asked again, the same to the letter. */
async function ask<T extends Claimed | ReceiptAnswer>(
  job: Job,
  route: string,
  { operation, body }: { operation: LedgerOperation; body: object },
): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  const headers = { authorization: `Bearer ${job.apiKey}` };
  let last = 'it was not asked';
  while (performance.now() < end) {
    await toldAndLetGo({ type: 'asks', operation });
    const asking = post(`${job.ledgerUrl}${route}`, headers, body, CALL_MS + job.waitMs);
    pass(job, operation.kind === 'claim' ? 'claim-under-way' : 'receipt-under-way');
    const { status, text } = await asking.catch((error: Error) => ({ status: 0, text: error.message }));
    if (status === 200) {
      const [item] = (JSON.parse(text) as { results: (T & { error?: object })[] }).results;
      if (item !== undefined && item.error === undefined) {
        tell({ type: 'answered', answer: item });
        return item;
      }
    }
    tell({ type: 'lost' });
    last = `${status}: ${text}`;
    if (status !== 0 && status !== 503) break;
    await sleep(100);
  }
  throw new Error(`${route} did not settle the item (last: ${last})`);
}

/** On a connection of its own: one that was kept open may be closed by the other side while this process stands still. */
async function post(
  url: string,
  headers: Record<string, string>,
  body: object,
  timeoutMs: number,
): Promise<{ status: number; text: string }> {
  const asked = request(url, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(timeoutMs),
  });
  asked.end(JSON.stringify(body));
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
}
