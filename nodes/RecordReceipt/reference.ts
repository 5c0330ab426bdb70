import { isRecord } from '../shared/ledger-api';
import { toReference } from '../shared/evidence';
import type { ItemValues } from './item-values';

/** Where destinations commonly put the ID of what they made, most telling first. */
const COMMON_FIELDS = [
  'reference',
  'id',
  'messageId',
  'message_id',
  'bookingId',
  'booking_id',
  'reservationId',
  'reservation_id',
  'confirmationNumber',
  'confirmation_number',
  'transactionId',
  'transaction_id',
  'eventId',
  'uid',
  'uuid',
  '_id',
  'sid',
];

/** Levels that wrap an answer: a full response, or an API's envelope. */
const WRAPPERS = ['body', 'data', 'result'];

/**
 * The destination's own ID from common fields. A value that the claim's own item already had is the workflow's, not the
 * destination's, and is passed over.
 */
export function proposeReference(json: Record<string, unknown>, claimValues: ItemValues): string {
  const levels = [json, ...WRAPPERS.map((name) => json[name]).filter(isRecord)];
  for (const level of levels) {
    for (const name of COMMON_FIELDS) {
      const reference = toReference(level[name]);
      if (reference !== '' && !claimValues.texts.has(reference)) return reference;
    }
  }
  return '';
}
