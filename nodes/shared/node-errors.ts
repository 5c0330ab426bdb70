import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData, JsonObject } from 'n8n-workflow';

import { describeProblem, messageOf } from './transport';
import type { LedgerFailure } from './transport';
import type { Problem } from './ledger-api';

/** Why an item cannot be answered, before it is known whether the node stops or continues. */
export interface ItemFailure {
  itemIndex: number;
  code: string;
  message: string;
  description: string;
  status: number | null;
}

export function failureOf(itemIndex: number, failure: LedgerFailure, notDone: string): ItemFailure {
  return {
    itemIndex,
    code: failure.code,
    message: failure.message,
    description: [notDone, failure.description].filter((part) => part !== '').join(' '),
    status: failure.status,
  };
}

export function problemFailure(itemIndex: number, problem: Problem, notDone: string): ItemFailure {
  return {
    itemIndex,
    code: problem.code,
    message: problem.title,
    description: [notDone, describeProblem(problem)].filter((part) => part !== '').join(' '),
    status: problem.status,
  };
}

/** Anything that was thrown while an item was prepared: an expression, a parameter, a credential. */
export function thrownFailure(itemIndex: number, error: unknown, notDone: string): ItemFailure {
  const description = (error as { description?: unknown } | null)?.description;
  return {
    itemIndex,
    code: 'node_setting_unusable',
    message: messageOf(error),
    description: [notDone, typeof description === 'string' ? description : ''].filter((part) => part !== '').join(' '),
    status: null,
  };
}

/** The error that stops the node: the service's words for a service's no, otherwise the node's own. */
export function toNodeError(context: IExecuteFunctions, failure: ItemFailure): NodeApiError | NodeOperationError {
  const { itemIndex, message, description, status, code } = failure;
  if (code === 'node_setting_unusable') {
    return new NodeOperationError(context.getNode(), message, { itemIndex, description });
  }
  const response: JsonObject = { code, message, description };
  return new NodeApiError(context.getNode(), response, {
    itemIndex,
    message,
    description,
    httpCode: status === null ? code : String(status),
  });
}

/** An error that n8n shows well, whatever was thrown. */
export function asNodeError(context: IExecuteFunctions, error: unknown): NodeApiError | NodeOperationError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  return new NodeOperationError(context.getNode(), error instanceof Error ? error : messageOf(error));
}

/**
 * The item that stands for a failure under either Continue mode. n8n moves it to the error output only when `json` has
 * nothing but `error` at the top, and merges the input's fields in itself.
 */
export function toErrorItem(failure: ItemFailure): INodeExecutionData {
  const { itemIndex, message, code, description, status } = failure;
  return { json: { error: { message, code, description, status } }, pairedItem: { item: itemIndex } };
}

/** Every input item as a failure: nothing of the node's work may look done. */
export function failAll(items: INodeExecutionData[], failure: Omit<ItemFailure, 'itemIndex'>): ItemFailure[] {
  return items.map((_, itemIndex) => ({ ...failure, itemIndex }));
}

/** Empty outputs but the last, which holds the error items. */
export function onlyErrors(outputs: number, failures: ItemFailure[]): INodeExecutionData[][] {
  return [...Array.from({ length: outputs - 1 }, () => []), failures.map(toErrorItem)];
}
