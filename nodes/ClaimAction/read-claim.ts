import { NodeOperationError, jsonParse } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../shared/ledger-api';
import type { ClaimRequest, Holder } from '../shared/ledger-api';
import { toIsoTime } from '../shared/iso-time';
import { namesOf, valueAt } from '../shared/value-at';

/** A claim as the builder described it for one item. Throws a NodeOperationError that names the field. */
export function readClaim(context: IExecuteFunctions, itemIndex: number, holder: Holder): ClaimRequest {
  const refuse = (message: string, description: string) =>
    new NodeOperationError(context.getNode(), message, { itemIndex, description });

  const options = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
  const operation = readText(context.getNodeParameter('operationName', itemIndex, '', { extractValue: true }));
  if (operation === '')
    throw refuse('No operation is chosen', 'Choose what is to happen once, for example reserve-seat.');
  const subject = readBusinessId(context.getNodeParameter('businessId', itemIndex, ''), refuse);

  return {
    ...readAccount(context, options),
    subject,
    operation,
    version: options.version as number | undefined,
    event: readEvent(options, refuse),
    subjectVersion: readSubjectVersion(options, refuse),
    details: readDetails(context, itemIndex, options, refuse),
    leaseSeconds: options.leaseSeconds as number | undefined,
    holder: { ...holder, sendsIdempotencyKey: options.sendsIdempotencyKey === true },
  };
}

type Refuse = (message: string, description: string) => NodeOperationError;

function readText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

/** What JavaScript writes for a value that is not there or that could not be calculated. */
const NOTHING_FOUND = /^(?:undefined|null|nan)$/i;

function readBusinessId(value: unknown, refuse: Refuse): string {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw refuse(
      'The Business ID is a number too large to be exact',
      'JavaScript rounds integers above 2^53, so two IDs could become one. Hand the ID over as text.',
    );
  }
  const subject = readText(value);
  if (NOTHING_FOUND.test(subject) || (typeof value === 'number' && !Number.isFinite(value))) {
    throw refuse(
      `The Business ID is "${subject}": its expression found nothing`,
      'All orders would share that one key, so nothing was claimed. Correct the expression: give a field that is in every item.',
    );
  }
  if (subject === '[object Object]') {
    throw refuse(
      'The Business ID is "[object Object]": its expression gave an object',
      'All orders would share that one key, so nothing was claimed. Correct the expression: give the field of the object that holds the ID.',
    );
  }
  if (subject === '') {
    throw refuse(
      'The Business ID is empty',
      'Without it the ledger cannot tell one order from another. Give an ID from your own system that is in every item.',
    );
  }
  return subject;
}

/**
 * Test runs get an account of their own: the business ID and the operation (with its policy) stay as they are, and the
 * order of subject versions, which is kept per account, is not touched.
 */
function readAccount(context: IExecuteFunctions, options: IDataObject): { account?: string } {
  const account = readText(options.account);
  if (options.testRunsUseSeparateKeys === true && context.getMode() === 'manual') {
    return { account: `test-runs/${account === '' ? 'default' : account}` };
  }
  return account === '' ? {} : { account };
}

function values(options: IDataObject, name: string): Record<string, unknown> | undefined {
  const collection = options[name];
  return isRecord(collection) && isRecord(collection.values) ? collection.values : undefined;
}

function readEvent(options: IDataObject, refuse: Refuse): ClaimRequest['event'] {
  const event = values(options, 'event');
  if (event === undefined) return undefined;
  const source = readText(event.source);
  const id = readText(event.id);
  if (source === '' || id === '') {
    throw refuse('The Event needs a Source and an Event ID', 'Give both, or remove the option Event.');
  }
  const occurredAt = readTime(event.occurredAt, 'Occurred At of the Event', refuse);
  return occurredAt === undefined ? { source, id } : { source, id, occurredAt };
}

function readSubjectVersion(options: IDataObject, refuse: Refuse): ClaimRequest['subjectVersion'] {
  const version = values(options, 'subjectVersion');
  if (version === undefined) return undefined;
  const named = readText(version.stream);
  const stream = named === '' ? {} : { stream: named };
  if (version.by === 'time') {
    const occurredAt = readTime(version.time, 'Time of the Subject Version', refuse);
    if (occurredAt === undefined) {
      throw refuse(
        'The Subject Version has no time',
        "Give the event's own time, or remove the option Subject Version.",
      );
    }
    return { ...stream, occurredAt };
  }
  const value = version.sequence ?? 0;
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw refuse('The Sequence Number is not a whole number', 'Give the number that the source counts versions with.');
  }
  return { ...stream, value };
}

function readTime(value: unknown, name: string, refuse: Refuse): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const time = toIsoTime(value);
  if (time === undefined) {
    throw refuse(`${name} is not a time`, 'Give an ISO time such as 2026-10-20T03:00:00Z, or Unix seconds.');
  }
  return time;
}

function readDetails(context: IExecuteFunctions, itemIndex: number, options: IDataObject, refuse: Refuse): unknown {
  const details = values(options, 'requestDetails');
  if (details === undefined) return undefined;
  if (details.specify === 'json') {
    if (typeof details.json !== 'string') return details.json ?? undefined;
    try {
      return jsonParse(details.json);
    } catch {
      throw refuse('The Request Details are not JSON', 'Correct the JSON, or choose fields of the item instead.');
    }
  }
  const names = namesOf(details.fields);
  if (names.length === 0) {
    throw refuse('The Request Details name no fields', 'Name the fields to compare, or remove the option.');
  }
  const { json } = context.getInputData()[itemIndex] ?? { json: {} };
  // A missing field is compared as null: leaving it out would compare nothing and let other details pass.
  return Object.fromEntries(names.map((name) => [name, valueAt(json, name) ?? null]));
}
