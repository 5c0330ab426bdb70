import type { ActionView } from '../stack/ledger-api';
import { until } from '../stack/until';
import { effectsOf } from './effects';
import type { PaymentEvent } from './payment-event';

export const owner = 'bookings@example.com';

/** Has somebody be asked about what nobody knows of these operations. */
export async function nameOwners(...operations: string[]): Promise<void> {
  for (const operation of operations) await stack.ledger.api.setPolicy(operation, { owner });
}

/** An order in one line: what really happened, and what the ledger says of it. */
export interface Standings {
  bookings: number;
  mails: number;
  seat: ActionView['state'] | undefined;
  mail: ActionView['state'] | undefined;
}

export const nothing: Standings = { bookings: 0, mails: 0, seat: undefined, mail: undefined };
export const done: Standings = { bookings: 1, mails: 1, seat: 'confirmed', mail: 'confirmed' };
export const booked: Standings = { ...nothing, bookings: 1, seat: 'confirmed' };
/** Claimed and not booked; the ledger cannot know that. */
export const notBooked: Standings = { ...nothing, seat: 'unknown' };
export const perhapsBooked: Standings = { ...nothing, bookings: 1, seat: 'unknown' };
export const perhapsMailed: Standings = { ...done, mail: 'unknown' };

interface Look extends Standings {
  contradictions: { seat: unknown[]; mail: unknown[] };
}

/** Looks at an order where n8n goes past the guards: nothing is insisted on. */
export async function lookAt(event: PaymentEvent): Promise<Look> {
  const { seat, mail } = await actionsOf(event);
  return {
    ...effectsOf(event),
    seat: seat?.state,
    mail: mail?.state,
    contradictions: { seat: seat?.contradictions ?? [], mail: mail?.contradictions ?? [] },
  };
}

/**
 * Looks at an order and insists on what must hold whatever was killed: at most one effect of each kind, and a ledger that
 * says nothing that is not so. What nobody knows has an owner.
 */
export async function judge(event: PaymentEvent): Promise<Standings> {
  const { bookings, mails } = effectsOf(event);
  const { seat, mail } = await actionsOf(event);
  for (const [action, effects] of [
    [seat, bookings],
    [mail, mails],
  ] as const) {
    expect(effects).toBeLessThanOrEqual(1);
    expect({ contradictions: action?.contradictions ?? [] }).toEqual({ contradictions: [] });
    if (action === undefined || action.state === 'failed') expect(effects).toBe(0);
    if (action?.state === 'confirmed') expect(effects).toBe(1);
    if (action?.state === 'unknown') expect(action.owner).toBe(owner);
  }
  return { bookings, mails, seat: seat?.state, mail: mail?.state };
}

/** Waits until the ledger says so, and judges. */
export async function expectInTheEnd(event: PaymentEvent, wanted: Standings): Promise<void> {
  await until(
    async () => {
      const { seat, mail } = await actionsOf(event);
      return seat?.state === wanted.seat && mail?.state === wanted.mail;
    },
    { what: `the ledger to say ${wanted.seat} of the seat and ${wanted.mail} of the mail`, timeoutMs: 90_000 },
  );
  expect(await judge(event)).toEqual(wanted);
}

/** As a person does it: looks at the destination, and records what is there. */
export async function resolveByLooking(event: PaymentEvent): Promise<void> {
  const { bookings, mails } = effectsOf(event);
  const { seat, mail } = await actionsOf(event);
  for (const [action, effects] of [
    [seat, bookings],
    [mail, mails],
  ] as const) {
    if (action?.state !== 'unknown') continue;
    await stack.ledger.api.call('POST', `/v1/actions/${action.actionId}/resolution`, {
      outcome: effects === 1 ? 'happened' : 'not_happened',
      attempt: action.attempt,
      historySeq: action.historySeq,
      reason: `The destination has ${effects} for this order`,
      by: 'support@example.com',
    });
  }
}

async function actionsOf({ orderId }: PaymentEvent) {
  return {
    seat: await stack.ledger.api.action(orderId, 'reserve-seat'),
    mail: await stack.ledger.api.action(orderId, 'send-confirmation'),
  };
}
