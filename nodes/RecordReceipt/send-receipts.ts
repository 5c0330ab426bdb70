import type { IExecuteFunctions } from 'n8n-workflow';

import { chunk } from '../shared/chunks';
import { settleClaims } from '../shared/held-claims';
import { isRecord, itemProblem } from '../shared/ledger-api';
import type { ReceiptAnswer } from '../shared/ledger-api';
import { failureOf, problemFailure } from '../shared/node-errors';
import type { ItemFailure } from '../shared/node-errors';
import { batchResults, callLedger, incompleteAnswer, RECEIPT_PAUSES_MS } from '../shared/transport';
import type { LedgerFailure } from '../shared/transport';
import type { ComposedReceipt } from './compose-receipts';

export interface RecordedReceipt {
  receipt: ComposedReceipt;
  answer: ReceiptAnswer;
}

const NOT_RECORDED =
  'The receipt was not recorded, and the step before may have been executed. When the lease is over the action becomes unknown; nothing repeats it.';

/** Sends receipts, again and again for a while: the ledger keeps the first and answers the same to the others. */
export async function sendReceipts(
  context: IExecuteFunctions,
  receipts: ComposedReceipt[],
): Promise<{ recorded: RecordedReceipt[]; failures: ItemFailure[] }> {
  const recorded: RecordedReceipt[] = [];
  const failures: ItemFailure[] = [];
  let unanswered: LedgerFailure | undefined;

  for (const part of chunk(receipts, ({ receipt }) => receipt)) {
    const results = unanswered ?? (await sendPart(context, part));
    if (!Array.isArray(results)) {
      // Trying the rest as patiently would hold the workflow up for nothing.
      unanswered = results;
      failures.push(...part.flatMap((receipt) => failuresOf(receipt, results)));
      continue;
    }
    for (const [position, receipt] of part.entries()) {
      const read = readAnswer(results[position]);
      if ('answer' in read) recorded.push({ receipt, answer: read.answer });
      else failures.push(...receipt.results.map(({ itemIndex }) => read.failure(itemIndex)));
    }
  }
  settleClaims(
    context,
    recorded.map(({ receipt }) => receipt.receipt.claimToken),
  );
  return { recorded, failures };
}

async function sendPart(context: IExecuteFunctions, part: ComposedReceipt[]): Promise<unknown[] | LedgerFailure> {
  const answer = await callLedger(context, {
    method: 'POST',
    path: '/v1/receipts',
    body: { receipts: part.map(({ receipt }) => receipt) },
    timeoutMs: 15_000,
    retryPausesMs: RECEIPT_PAUSES_MS,
    evenWhenStopped: true,
  });
  if (!answer.ok) return answer.failure;
  return batchResults(answer, part.length) ?? incompleteAnswer(part.length);
}

function failuresOf(receipt: ComposedReceipt, failure: LedgerFailure): ItemFailure[] {
  return receipt.results.map(({ itemIndex }) => failureOf(itemIndex, failure, NOT_RECORDED));
}

function readAnswer(result: unknown): { answer: ReceiptAnswer } | { failure: (itemIndex: number) => ItemFailure } {
  const problem = itemProblem(result);
  if (problem !== undefined) return { failure: (itemIndex) => problemFailure(itemIndex, problem, NOT_RECORDED) };
  if (!isRecord(result) || typeof result.result !== 'string' || typeof result.state !== 'string') {
    return { failure: (itemIndex) => failureOf(itemIndex, incompleteAnswer(1), NOT_RECORDED) };
  }
  return { answer: result as unknown as ReceiptAnswer };
}
