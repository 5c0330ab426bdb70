import type { INodeType } from 'n8n-workflow';

import { connect, Engine } from './engine';
import errorItems from './error-items.json';
import { step } from './helper-nodes';
import { claimNode, ledgerNodeTypes, receiptNode, start } from './ledger-nodes';
import { agreeable, ScriptedLedger } from './scripted-ledger';

let ledger: ScriptedLedger;

beforeAll(async () => {
  ledger = await ScriptedLedger.start();
});
afterAll(() => ledger.stop());

const NO_REDIRECTS = { options: { redirect: { redirect: { followRedirects: false } } } };

/** The step leaves the item as n8n's node does; both its outputs lead to Record Receipt. */
async function outcomeOf(
  row: (typeof errorItems)[number],
  options: { stepTriesOnce?: boolean; retryOnFail?: boolean } = {},
) {
  ledger.answer(agreeable);
  const type = `n8n-nodes-base.${row.step}`;
  const json: Record<string, unknown> = row.json;
  const guarded: INodeType = step((input) => ('claim' in json ? input : structuredClone(json)));
  const engine = new Engine({
    nodeTypes: { ...ledgerNodeTypes, [type]: guarded },
    credentials: { ledger: { baseUrl: ledger.url, apiKey: 'al_test' } },
  });
  const { stepTriesOnce = false, retryOnFail = false } = options;
  const run = await engine.run(
    {
      nodes: [
        start(),
        claimNode(),
        {
          name: 'Step',
          type,
          typeVersion: 4.2,
          onError: 'continueErrorOutput',
          retryOnFail,
          maxTries: 2,
          waitBetweenTries: 1,
          parameters: NO_REDIRECTS,
        },
        receiptNode('Receipt', { parameters: { options: { stepTriesOnce } } }),
      ],
      connections: connect({ Start: [['Claim']], Claim: [['Step']], Step: [['Receipt'], ['Receipt']] }),
    },
    { items: [{ orderId: '842' }] },
  );
  expect(run.error).toBeUndefined();
  const [receipt] = ledger.asked('/v1/receipts').flatMap(({ body }) => body.receipts);
  const output = ['confirmed', 'failed', 'unknown'].findIndex((_, at) => run.json('Receipt', at).length === 1);
  return { receipt, output: ['confirmed', 'failed', 'unknown'][output], item: run.json('Receipt', output)[0] };
}

const known = ['httpRequest', 'emailSend'];

describe('a step that tries once, follows no redirects and is the only one', () => {
  test.each(errorItems)('$from: $verdict', async (row) => {
    const { receipt, output, item } = await outcomeOf(row, { stepTriesOnce: true });
    expect(receipt).toMatchObject({ claimToken: 'token-842', outcome: row.verdict });
    expect(receipt.cause).toMatch(/\w{5}/);
    expect(output).toBe(row.verdict);
    expect(item!.receipt.outcome).toBe(row.verdict);
  });
});

describe('a refusal is no proof', () => {
  const refusals = errorItems.filter(({ verdict }) => verdict === 'failed');

  test.each(refusals)('$from, with Retry On Fail on', async (row) => {
    const { receipt } = await outcomeOf(row, { stepTriesOnce: true, retryOnFail: true });
    expect(receipt.outcome).toBe('unknown');
    expect(receipt.cause).toContain('Retry On Fail');
  });

  test.each(refusals.filter(({ step: type }) => !known.includes(type)))(
    '$from, where n8n does not tell how the step behaves',
    async (row) => {
      const { receipt } = await outcomeOf(row);
      expect(receipt.outcome).toBe('unknown');
    },
  );
});

test('of HTTP Request and Email Send n8n tells enough', async () => {
  for (const row of errorItems.filter(({ verdict, step: type }) => verdict === 'failed' && known.includes(type))) {
    expect((await outcomeOf(row)).receipt.outcome).toBe('failed');
  }
});
