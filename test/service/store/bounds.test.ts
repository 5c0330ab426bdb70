import { Problem } from '../../../ledger-service/src/domain/problem';
import { openLedger, type OpenLedger } from './open-ledger';

// What one caller asks of one action must not make its neighbours wait, nor grow without end.

let open: OpenLedger;

beforeAll(async () => {
  open = await openLedger();
});

afterAll(() => open.close());

const claim = async (subject: string): Promise<string> => {
  const [answer] = await open.ledger.claim(open.workspaceNo, { claims: [{ subject, operation: 'o' }] });
  if (answer === undefined || answer instanceof Problem || answer.claimToken === null) throw new Error('not granted');
  return answer.claimToken;
};

test('of a thousand receipts for one action in a call twenty are recorded, and the others refused in their place', async () => {
  const [claimToken, neighbour] = [await claim('many'), await claim('neighbour')];
  const receipts = Array.from({ length: 1_000 }, (_, n) => ({
    claimToken,
    outcome: 'unknown' as const,
    evidence: { n },
  }));
  const results = await open.ledger.receipts(open.workspaceNo, [
    ...receipts,
    { claimToken: neighbour, outcome: 'confirmed', reference: 'R' },
  ]);
  expect(results.slice(0, 20).every((result) => !(result instanceof Problem))).toBe(true);
  expect(results.slice(20, 1_000).every((result) => result instanceof Problem)).toBe(true);
  expect(results[20]).toMatchObject({ code: 'payload_too_large' });
  expect(results[1_000]).toMatchObject({ result: 'recorded', state: 'confirmed' });
});

test('an action keeps a hundred references, and a claim is told ten', async () => {
  const claimToken = await claim('referenced');
  for (const call of [1, 2, 3]) {
    const references = Array.from({ length: 60 }, (_, n) => `R-${call}-${String(n).padStart(2, '0')}`);
    await open.ledger.receipts(open.workspaceNo, [{ claimToken, outcome: 'confirmed', references }]);
  }
  const [answer] = await open.ledger.claim(open.workspaceNo, { claims: [{ subject: 'referenced', operation: 'o' }] });
  if (answer === undefined || answer instanceof Problem) throw new Error('not answered');
  expect(answer.receipt?.references).toHaveLength(10);
  const action = await open.ledger.reading.byId(open.workspaceNo, answer.actionId);
  expect(action?.references).toHaveLength(100);
  // Every one of the first call is among them: what confirmed the action is not pushed out by what came later.
  expect(action?.references.filter((reference) => reference.startsWith('R-1-'))).toHaveLength(60);
  // The history has them all.
  expect((await open.ledger.reading.history(action!)).entries.flatMap(({ facts }) => facts['references'])).toHaveLength(
    1 + 180,
  );
});

test('an event that asked very often is counted whole, and does not hide the others', async () => {
  const ask = (id: string): Promise<unknown> =>
    open.ledger.claim(open.workspaceNo, { claims: [{ subject: 'asked', operation: 'o', event: { source: 's', id } }] });
  await ask('first');
  for (let n = 0; n < 130; n++) await ask('again');
  const [answer] = await open.ledger.claim(open.workspaceNo, { claims: [{ subject: 'asked', operation: 'o' }] });
  if (answer === undefined || answer instanceof Problem) throw new Error('not answered');
  expect(await open.ledger.reading.events(open.workspaceNo, answer.actionId)).toMatchObject([
    { id: 'again', deliveries: 130, lastDecision: 'in_progress' },
    { id: 'first', deliveries: 1, lastDecision: 'proceed' },
  ]);
});
