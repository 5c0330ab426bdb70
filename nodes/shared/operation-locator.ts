import { NodeApiError } from 'n8n-workflow';
import type { ILoadOptionsFunctions, INodeListSearchResult, INodeProperties, JsonObject } from 'n8n-workflow';

import { isRecord } from './ledger-api';
import { callLedger, NO_RETRY } from './transport';

/** The operation, from the ledger's list or by name. */
export function operationLocator(description: string, required = true): INodeProperties {
  return {
    displayName: 'Operation',
    name: 'operationName',
    type: 'resourceLocator',
    default: { mode: 'list', value: '' },
    required,
    description,
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        typeOptions: { searchListMethod: 'searchOperations', searchable: true },
      },
      {
        displayName: 'By Name',
        name: 'name',
        type: 'string',
        placeholder: 'reserve-seat',
      },
    ],
  };
}

export async function searchOperations(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const answer = await callLedger(this, {
    method: 'GET',
    path: '/v1/operations',
    query: { ...(filter ? { search: filter } : {}), ...(paginationToken ? { cursor: paginationToken } : {}) },
    timeoutMs: 10_000,
    retryPausesMs: NO_RETRY,
  });
  if (!answer.ok) {
    const { message, description, status } = answer.failure;
    const response: JsonObject = { message, description };
    throw new NodeApiError(this.getNode(), response, {
      message,
      description,
      httpCode: status === null ? undefined : String(status),
    });
  }
  const { operations, nextCursor } = answer.body;
  const found = Array.isArray(operations) ? operations.filter(isRecord) : [];
  return {
    results: found.map(({ name, configured }) => ({
      name: configured === false ? `${String(name)} (not configured)` : String(name),
      value: String(name),
    })),
    paginationToken: typeof nextCursor === 'string' ? nextCursor : undefined,
  };
}
