/** 2001-09-09 in seconds; below it a number is no recent time, and above this many it is milliseconds. */
const FIRST_SECONDS = 1_000_000_000;
const FIRST_MILLISECONDS = 1_000_000_000_000;

/** An ISO time from what expressions give: text, a Date, n8n's DateTime, or Unix seconds or milliseconds. */
export function toIsoTime(value: unknown): string | undefined {
  if (value instanceof Date) return fromDate(value);
  if (typeof value === 'object' && value !== null && typeof (value as { toJSDate?: unknown }).toJSDate === 'function') {
    return fromDate((value as { toJSDate: () => Date }).toJSDate());
  }
  if (typeof value === 'number') {
    if (value < FIRST_SECONDS) return undefined;
    return fromDate(new Date(value < FIRST_MILLISECONDS ? value * 1_000 : value));
  }
  // A bare date or a local time would mean another moment on another machine.
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:?\d\d)$/.test(value.trim())) {
    return fromDate(new Date(value.trim()));
  }
  return undefined;
}

function fromDate(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
