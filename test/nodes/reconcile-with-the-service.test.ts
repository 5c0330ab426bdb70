import { randomUUID } from 'node:crypto';

import type { INodeType } from 'n8n-workflow';

import { bookingEngine, guardedBooking } from './booking-workflow';
import { connect } from './engine';
import type { RunOptions, WorkflowDefinition } from './engine';
import { step } from './helper-nodes';
import { ledgerNode, start } from './ledger-nodes';
import { RealLedger } from './real-ledger';

// The nodes in n8n's own engine against the service itself, with its own PostgreSQL.

jest.mock('n8n-workflow', () => {
  const actual = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
  return { ...actual, sleep: async (ms: number) => await actual.sleep(ms / 20) };
});

let ledger: RealLedger;

beforeAll(async () => {
  ledger = await new RealLedger().start();
}, 60_000);
afterAll(async () => {
  await ledger?.stop();
});

let subject: string;
let booked: string[];
beforeEach(() => {
  subject = `workshop-${randomUUID().slice(0, 8)}`;
  booked = [];
});

/** A booking system that counts what it did. */
const books: INodeType = step(({ orderId }) => {
  booked.push(orderId);
  return { reservationId: `RSV-${booked.length}` };
});

const engineWith = (booking: INodeType, url?: string, ledgerId?: string) =>
  bookingEngine(ledger, booking, url, ledgerId);

async function deliver(
  booking: INodeType = books,
  options: RunOptions & { claim?: Record<string, unknown>; url?: string } = {},
) {
  const { claim, url, ...run } = options;
  return await engineWith(booking, url).run(guardedBooking(claim), { items: [{ orderId: subject }], ...run });
}

describe('the owner of what is unknown', () => {
  const reconcile = async (parameters: Record<string, unknown>, items: Array<Record<string, unknown>> = [{}]) => {
    const definition: WorkflowDefinition = {
      nodes: [start(), ledgerNode('Reconcile', 'reconcileUnknown', parameters as never)],
      connections: connect({ Start: [['Reconcile']] }),
    };
    return await engineWith(books).run(definition, { items });
  };

  test('gets it when it is due, once, and resolves it with its fence', async () => {
    const operation = `op-${subject}`;
    const claim = { operationName: { __rl: true, mode: 'name', value: operation } };
    await deliver(
      step(() => ({ error: { code: 'ECONNRESET' } })),
      { claim },
    );

    const due = { operation: 'getDue', operationName: { __rl: true, mode: 'name', value: operation } };
    const got = await reconcile(due);
    expect(got.json('Reconcile')).toHaveLength(1);
    const action = got.json('Reconcile')[0]!;
    expect(action).toMatchObject({
      subject,
      operation,
      state: 'unknown',
      attempt: 1,
      idempotencyKey: expect.any(String),
      summary: expect.anything(),
    });
    expect((await reconcile(due)).json('Reconcile')).toEqual([]);

    const resolve = { operation: 'resolve', outcome: 'happened', reference: 'RSV-77', foundBy: 'person', by: 'Kim' };
    const resolved = await reconcile(resolve, [action]);
    expect(resolved.error).toBeUndefined();
    expect(resolved.json('Reconcile')[0]!.resolution).toMatchObject({
      result: 'resolved',
      action: { state: 'confirmed' },
    });
    expect((await deliver(books, { claim })).json('Claim', 1)[0]!.claim.receipt.reference).toBe('RSV-77');

    const late = await reconcile({ operation: 'resolve', outcome: 'not_happened', reason: 'found nothing' }, [action]);
    expect(late.json('Reconcile')[0]!.resolution).toMatchObject({
      result: 'stale_resolution',
      changed: expect.any(String),
    });
    expect((await ledger.action(subject)).state).toBe('confirmed');
  });

  test('finds an action by order, key, reference and event', async () => {
    const event = { options: { event: { values: { source: 'stripe', id: `evt:${subject}` } } } };
    await deliver(
      step(() => ({ id: `REF-${subject}` })),
      { claim: event },
    );
    const searches = [
      { by: 'subject', subject },
      { by: 'key', key: `default:${subject}:reserve-seat` },
      { by: 'reference', reference: `REF-${subject}` },
      { by: 'event', eventSource: 'stripe', eventId: `evt:${subject}` },
    ];
    for (const parameters of searches) {
      const definition: WorkflowDefinition = {
        nodes: [start(), ledgerNode('Look Up', 'lookUpAction', parameters)],
        connections: connect({ Start: [['Look Up']] }),
      };
      const run = await engineWith(books).run(definition, {});
      expect(run.error).toBeUndefined();
      expect(run.json('Look Up')).toMatchObject([{ found: true, subject, state: 'confirmed', historyVerified: true }]);
      expect(run.json('Look Up')[0]!.history.length).toBeGreaterThan(1);
    }
  });
});
