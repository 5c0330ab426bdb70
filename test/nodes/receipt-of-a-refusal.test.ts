import { step } from './helper-nodes';
import type { Json } from './json';
import { book, httpRequest, recordWith } from './receipt-workflow';
import type { Setup } from './receipt-workflow';
import { agreeable, ScriptedLedger } from './scripted-ledger';

let ledger: ScriptedLedger;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
});
afterAll(() => ledger.stop());
beforeEach(() => ledger.answer(agreeable));

const record = (setup: Setup) => recordWith(ledger, setup);

describe('a refusal is evidence', () => {
  const refused = step(() => ({
    error: { message: '404', status: 404, code: 'ERR_BAD_REQUEST', stack: 'at secret/path' },
  }));
  const noRedirects = { parameters: { options: { redirect: { redirect: { followRedirects: false } } } } };

  test('from the one step: failed, without its stack', async () => {
    const { receipt, output, item } = await record({
      steps: [{ does: refused, type: httpRequest, node: noRedirects }],
    });
    expect(receipt).toMatchObject({ outcome: 'failed', cause: expect.stringContaining('status 404') });
    expect(JSON.stringify(receipt)).not.toContain('secret/path');
    expect(output).toBe(1);
    // n8n merged the claim's item in; the receipt keeps what the step said.
    expect(receipt.evidence).toMatchObject({ orderId: '842', error: { status: 404 } });
    expect(receipt.evidence.claim).toBeUndefined();
    expect(item!.receipt.state).toBe('failed');
  });

  test.each([
    ['with redirects followed, as by default', {}],
    [
      'with redirects by an expression',
      { parameters: { options: { redirect: { redirect: { followRedirects: '={{ false }}' } } } } },
    ],
    [
      'with pagination',
      {
        parameters: {
          options: {
            ...noRedirects.parameters.options,
            pagination: { pagination: { paginationMode: 'updateAParameterInEachRequest' } },
          },
        },
      },
    ],
  ])('not %s, whatever the builder states', async (_, node) => {
    const parameters = { options: { stepTriesOnce: true } };
    const { receipt } = await record({ steps: [{ does: refused, type: httpRequest, node }], receipt: { parameters } });
    expect(receipt.outcome).toBe('unknown');
  });

  test('not with several steps between', async () => {
    const steps = [
      { does: step((json) => ({ ...json, more: 1 })) },
      { does: refused, type: httpRequest, node: noRedirects },
    ];
    const { receipt } = await record({ steps });
    expect(receipt).toMatchObject({ outcome: 'unknown', cause: expect.stringContaining('several steps') });
  });

  test('not when the error was in the item before the claim', async () => {
    const { receipt } = await record({
      steps: [{ does: step(({ error }) => ({ error })), type: httpRequest, node: noRedirects }],
      items: [{ orderId: '1', error: { status: 404 } }],
    });
    expect(receipt).toMatchObject({ outcome: 'unknown', cause: expect.stringContaining('before the claim') });
  });

  describe("by the builder's own rules", () => {
    const answers = (status: number) => step(() => ({ error: { message: 'no', status } }));
    const rules = {
      options: {
        statusRules: {
          rules: [
            { status: '402, 409', outcome: 'failed' },
            { status: '208', outcome: 'confirmed' },
            { status: '404', outcome: 'unknown' },
          ],
        },
      },
    };
    test.each([
      [402, 'failed'],
      [409, 'failed'],
      [208, 'confirmed'],
      [404, 'unknown'],
      [422, 'failed'],
      [500, 'unknown'],
    ])('status %i means %s', async (status, outcome) => {
      const { receipt } = await record({
        steps: [{ does: answers(status), type: httpRequest, node: noRedirects }],
        receipt: { parameters: rules },
      });
      expect(receipt.outcome).toBe(outcome);
    });
    test('but a rule cannot make a repeated step judgeable', async () => {
      const node = { ...noRedirects, retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
      const { receipt } = await record({
        steps: [{ does: answers(402), type: httpRequest, node }],
        receipt: { parameters: rules },
      });
      expect(receipt.outcome).toBe('unknown');
    });
    test('a rule without a status is refused', async () => {
      const wrong = { options: { statusRules: { rules: [{ status: '4xx', outcome: 'failed' }] } } };
      const { receipts, done } = await record({ steps: [{ does: book }], receipt: { parameters: wrong } });
      expect(receipts).toEqual([]);
      expect(done.error?.message).toContain('"4xx" in the Status Rules');
    });
  });

  test('not when the step gave another result for the same claim, on whatever output', async () => {
    const some = step(() => [{ id: 'RSV-1' }, { error: { status: 404 } }]);
    const { receipts } = await record({ steps: [{ does: some, type: httpRequest, node: noRedirects }] });
    // The two leave on two outputs, so Record Receipt runs twice.
    expect(receipts.map(({ outcome }: Json) => outcome).sort()).toEqual(['confirmed', 'unknown']);
    expect(receipts.find(({ outcome }: Json) => outcome === 'unknown').cause).toContain(
      'other results for the same claim',
    );
  });

  test('of only some items on one output it makes the whole unknown', async () => {
    const some = step(() => [
      { id: 'RSV-1', x: 1 },
      { id: 'RSV-2', x: 2, error: { status: 404 } },
    ]);
    const { receipts } = await record({ steps: [{ does: some, type: httpRequest, node: noRedirects }] });
    expect(receipts).toHaveLength(1);
    expect(receipts[0]).toMatchObject({ outcome: 'unknown', reference: 'RSV-1' });
  });
});
