import { Problem } from './problem';

// RFC 3339 section 5.6. The zone is required, since a time without one is another moment elsewhere.
const MOMENT = /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Whether a text is a moment, on a day that the calendar has: Date.parse takes 30 February for 2 March. */
export function isMoment(text: string): boolean {
  const [, year, month, day] = MOMENT.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}

/** A moment in milliseconds; null for none. */
export function moment(text: string | null | undefined, field: string): number | null {
  if (text === undefined || text === null) return null;
  if (isMoment(text)) return Date.parse(text);
  throw new Problem(
    'invalid_request',
    `${field} is not a time of the form 2026-10-20T03:00:00Z. Nothing was changed.`,
    {
      field,
    },
  );
}
