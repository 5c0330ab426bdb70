import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../shared/ledger-api';
import { callLedger } from '../shared/transport';
import type { LedgerFailure } from '../shared/transport';

const READ_PAUSES_MS = [300, 1_000];
const TIMEOUT_MS = 15_000;

/** The search of one item; throws when what it searches for is empty. */
export function readSearch(context: IExecuteFunctions, itemIndex: number): IDataObject {
  const by = context.getNodeParameter('by', itemIndex) as string;
  const options = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
  const limit = context.getNodeParameter('limit', itemIndex, 50) as number;
  const text = (name: string, label: string) => readText(context, itemIndex, name, label);
  switch (by) {
    case 'key':
      return { key: text('key', 'Action Key'), limit };
    case 'reference':
      return { reference: text('reference', 'Reference'), limit };
    case 'event': {
      const source = encodePart(text('eventSource', 'Event Source'));
      return { event: `${source}:${encodePart(text('eventId', 'Event ID'))}`, limit };
    }
    default: {
      const subject = text('subject', 'Business ID');
      return options.account ? { subject, account: String(options.account), limit } : { subject, limit };
    }
  }
}

function readText(context: IExecuteFunctions, itemIndex: number, name: string, label: string): string {
  const value: unknown = context.getNodeParameter(name, itemIndex, '');
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  if (text !== '') return text;
  throw new NodeOperationError(context.getNode(), `The ${label} is empty`, {
    itemIndex,
    description: 'Nothing was looked up. Give what to look for.',
  });
}

/** As in written action keys: only what separates parts is encoded. */
function encodePart(part: string): string {
  return part.replace(/%/g, '%25').replace(/:/g, '%3A');
}

/** The actions found, each with its summary and, where wanted, its history. */
export async function findActions(
  context: IExecuteFunctions,
  search: IDataObject,
  withHistory: boolean,
): Promise<{ actions: IDataObject[] } | { failure: LedgerFailure }> {
  const answer = await callLedger(context, {
    method: 'GET',
    path: '/v1/actions',
    query: search,
    timeoutMs: TIMEOUT_MS,
    retryPausesMs: READ_PAUSES_MS,
  });
  if (!answer.ok) return { failure: answer.failure };
  const found = Array.isArray(answer.body.actions) ? answer.body.actions.filter(isRecord) : [];
  const actions: IDataObject[] = [];
  for (const action of found) {
    const history = withHistory ? await readHistory(context, action.actionId) : undefined;
    if (history !== undefined && 'failure' in history) return history;
    actions.push({ found: true, ...action, ...history });
  }
  return { actions };
}

async function readHistory(
  context: IExecuteFunctions,
  actionId: unknown,
): Promise<{ history: IDataObject[]; historyVerified: boolean } | { failure: LedgerFailure }> {
  const answer = await callLedger(context, {
    method: 'GET',
    path: `/v1/actions/${encodeURIComponent(String(actionId))}/history`,
    timeoutMs: TIMEOUT_MS,
    retryPausesMs: READ_PAUSES_MS,
  });
  if (!answer.ok) return { failure: answer.failure };
  const { entries, verified } = answer.body;
  return { history: Array.isArray(entries) ? (entries as IDataObject[]) : [], historyVerified: verified === true };
}
