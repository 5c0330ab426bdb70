import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { until } from '../e2e/stack/until';
import { behaviourNames, BookingSystem, courses, type BehaviourName } from './index';

/** The doors of one system: what a client sees must not depend on which it takes. */
const doors = ['HTTP', 'direct call'] as const;

/** Long enough for a busy machine to have had the effect and sent the answer, where there is one. */
const PATIENCE_MS = 15_000;
/** Long enough for a busy machine to have sent the request, where there is no answer. */
const PATIENCE_IN_VAIN_MS = 2_500;
const LATE_MS = 150;

let booking: BookingSystem;

beforeEach(async () => {
  booking = await BookingSystem.start();
});

afterEach(async () => {
  await booking.stop();
});

interface Seen {
  status?: number;
  body?: Record<string, unknown> | null;
  broken?: 'reset' | 'timeout';
}

async function ask(
  door: (typeof doors)[number],
  orderId: string,
  signal = AbortSignal.timeout(PATIENCE_MS),
): Promise<Seen> {
  try {
    if (door === 'direct call') return (await booking.book(orderId, { signal })) as Seen;
    const response = await fetch(`${booking.url}/bookings`, {
      method: 'POST',
      body: JSON.stringify({ orderId }),
      signal,
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as Record<string, unknown>) };
  } catch {
    return { broken: signal.aborted ? 'timeout' : 'reset' };
  }
}

const seen: Record<(typeof courses)[BehaviourName]['sees'], object> = {
  answer: { status: 201, body: { orderId: 'workshop-842' } },
  'late-answer': { status: 201, body: { reference: 'RSV-2', orderId: 'workshop-842' } },
  'other-reference': { status: 201, body: { reference: 'RSV-1', orderId: 'workshop-842' } },
  error: { status: 503 },
  refusal: { status: 422 },
  empty: { status: 200, body: null },
  reset: { broken: 'reset' },
  silence: { broken: 'timeout' },
};

describe.each(doors)('by %s', (door) => {
  it.each(behaviourNames)('%s has the effects and shows what its table says', async (name) => {
    await booking.book('workshop-1');
    booking.behave({ name, reference: 'workshop-842', delayMs: LATE_MS });
    const { effects, sees } = courses[name];
    const signal = AbortSignal.timeout(sees === 'silence' ? PATIENCE_IN_VAIN_MS : PATIENCE_MS);
    expect(await ask(door, 'workshop-842', signal)).toMatchObject(seen[sees]);
    await until(() => booking.effects.count('workshop-842') === effects, { what: 'the effects', everyMs: 10 });
    expect(booking.effects.requestCount('workshop-842')).toBe(1);
    expect(booking.effects.count('workshop-1')).toBe(1);
  });

  it('a late effect happens although the caller has gone', async () => {
    booking.behave({ name: 'late-effect', delayMs: 2_000 });
    const patience = new AbortController();
    const caller = ask(door, 'workshop-842', patience.signal);
    await until(() => booking.effects.requestCount('workshop-842') === 1, { what: 'the request', everyMs: 5 });
    patience.abort();
    expect(await caller).toEqual({ broken: 'timeout' });
    await until(() => booking.effects.count('workshop-842') === 1, { what: 'the effect', everyMs: 10 });
  });

  it('an error may be answered long before the effect', async () => {
    booking.behave({ name: 'error-then-effect', status: 504, delayMs: 4 * PATIENCE_MS });
    expect(await ask(door, 'workshop-842')).toMatchObject({ status: 504 });
    expect(booking.counts()).toEqual({});
  });

  it('a false success names an effect that nothing finds', async () => {
    booking.behave({ name: 'false-success' });
    const { body } = await ask(door, 'workshop-842');
    const lookUp = await fetch(`${booking.url}/bookings/${String(body?.reference)}`);
    expect(lookUp.status).toBe(404);
    expect(booking.lookUp('workshop-842')).toEqual([]);
    expect(booking.counts()).toEqual({});
  });

  it('a wrong reference is invented where there is no other order', async () => {
    booking.behave({ name: 'wrong-reference' });
    const { body } = await ask(door, 'workshop-842');
    expect(body?.reference).not.toBe(booking.bookings('workshop-842')[0]?.id);
  });
});

it('README.md shows the behaviours as they are', () => {
  const readme = readFileSync(join(__dirname, 'README.md'), 'utf8');
  const shown = [...readme.matchAll(/^\| `([a-z-]+)` +\| (\d)/gm)].map(([, name, effects]) => [name, Number(effects)]);
  expect(shown).toEqual(behaviourNames.map((name) => [name, courses[name].effects]));
});

it('what was still to come does not happen after a reset', async () => {
  booking.behave({ name: 'late-effect', delayMs: 20_000 });
  const caller = ask('HTTP', 'workshop-842');
  await until(() => booking.effects.requestCount('workshop-842') === 1, { what: 'the request', everyMs: 5 });
  booking.reset();
  expect(await caller).toEqual({ broken: 'reset' });
  await ask('HTTP', 'workshop-843');
  expect(booking.counts()).toEqual({ 'workshop-843': 1 });
});
