import { Problem } from '../../../ledger-service/src/domain/problem';
import { eventName } from '../../../ledger-service/src/domain/requests';
import { Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

let open: OpenLedger;
let theirs: number;
let story: Story;

beforeAll(async () => {
  open = await openLedger();
  theirs = await open.workspace('theirs');
  story = new Story(open);
  await story.claim({ event: { source: 'stripe', id: 'evt-1' } });
});
afterAll(() => open.close());

const codes = (answers: unknown[]): unknown[] =>
  answers.map((answer) => (answer instanceof Problem ? answer.code : 'answered'));

test('the same key in two workspaces is two actions', async () => {
  const [answer] = await open.ledger.claim(theirs, { claims: [story.key] });
  expect(answer).toMatchObject({ decision: 'proceed', attempt: 1, actionId: story.id });
  expect(answer).not.toMatchObject({ idempotencyKey: story.current.idempotencyKey });
  expect((await story.ask()).decision).toBe('in_progress');
});

test('another workspace cannot use a token', async () => {
  const other = new Story(open);
  await other.claim();
  const { claimToken } = other.current;
  const before = await other.stored();
  const { ledger } = open;
  expect(codes(await ledger.receipts(theirs, [{ claimToken, outcome: 'confirmed' }]))).toEqual(['claim_token_unknown']);
  expect(codes(await ledger.heartbeats(theirs, [{ claimToken }]))).toEqual(['claim_token_unknown']);
  expect(codes(await ledger.releases(theirs, [{ claimToken }]))).toEqual(['claim_token_unknown']);
  expect(await other.stored()).toEqual(before);
});

test('nor a token where it has an action of the same key itself', async () => {
  const mine = story.current.claimToken;
  const before = await story.stored();
  await open.ledger.claim(theirs, { claims: [story.key] });
  expect(codes(await open.ledger.receipts(theirs, [{ claimToken: mine, outcome: 'confirmed' }]))).toEqual([
    'claim_token_unknown',
  ]);
  const [answer] = await open.ledger.claim(theirs, { claims: [story.key] });
  expect(answer).toMatchObject({ decision: 'in_progress' });
  expect(await story.stored()).toEqual(before);
});

test('another workspace cannot release by the call, resolve, override or end what is not its own', async () => {
  const other = new Story(open);
  await other.claim();
  const { requestToken, executionId } = other.current;
  const fence = await other.fence();
  const before = await other.stored();
  const { ledger } = open;
  expect(codes(await ledger.releases(theirs, [{ ...other.key, requestToken, position: 0 }]))).toEqual([
    'action_unknown',
  ]);
  expect(await ledger.endExecution(theirs, { holder: other.holder(executionId) })).toEqual([]);
  await expect(
    ledger.resolve(theirs, other.id, { outcome: 'happened', reference: 'X', ...fence }, 'key'),
  ).rejects.toMatchObject({ code: 'action_unknown', status: 404 });
  const override = { ...fence, by: 'a', secondPerson: 'b', reason: 'c' };
  await expect(ledger.override(theirs, other.id, override)).rejects.toMatchObject({ code: 'action_unknown' });
  expect(await other.stored()).toEqual(before);
});

test('another workspace does not see it: not by its id, nor by any search, nor in what is due', async () => {
  const other = new Story(open);
  await other.claim({ event: { source: 'stripe', id: 'evt-2' } });
  await other.receipt('confirmed', { reference: 'RSV-1' });
  const unknown = new Story(open);
  await unknown.claim();
  await unknown.receipt('unknown');
  const { ledger } = open;
  expect(await ledger.reading.byId(theirs, other.id)).toBeUndefined();
  expect(await ledger.reading.events(theirs, other.id)).toEqual([]);
  for (const condition of [
    { subject: other.subject },
    { key: `default:${other.subject}:reserve-seat` },
    { reference: 'RSV-1' },
    { eventId: eventName('stripe', 'evt-2').id },
    { state: 'confirmed' },
    { state: 'unknown' },
  ] as const) {
    expect((await ledger.search(theirs, { limit: 100, ...condition })).actions).toEqual([]);
    expect((await ledger.search(open.workspaceNo, { limit: 100, ...condition })).actions.length).toBeGreaterThan(0);
  }
  const due = { operationNo: null, limit: 100, leaseSeconds: 60 };
  expect(await ledger.reading.leaseDue(theirs, due)).toEqual([]);
  expect((await ledger.reading.leaseDue(open.workspaceNo, due)).map(({ id }) => id)).toEqual([unknown.id]);
});

test('policies, subject versions and events are apart', async () => {
  await open.configure('strict', { retryAfterFailure: false });
  const key = {
    subject: 'apart',
    operation: 'strict',
    subjectVersion: { stream: 'order', value: 9 },
    event: { id: 'e' },
  };
  await open.ledger.claim(open.workspaceNo, { claims: [key] });
  const [answer] = await open.ledger.claim(theirs, {
    claims: [{ ...key, subjectVersion: { stream: 'order', value: 1 } }],
  });
  expect(answer).toMatchObject({
    decision: 'proceed',
    operationConfigured: false,
    event: { duplicate: false, deliveries: 1 },
  });
});

test('actions of several workspaces in one batch keep to their own', async () => {
  const workspaces = await Promise.all(Array.from({ length: 5 }, (_, index) => open.workspace(`shared-${index}`)));
  const claims = Array.from({ length: 20 }, (_, index) => ({ subject: `batch-${index}`, operation: 'book' }));
  const results = await Promise.all(workspaces.map((no) => open.ledger.claim(no, { claims })));
  expect(results.flat().every((answer) => !(answer instanceof Problem) && answer.decision === 'proceed')).toBe(true);
  const tokens = results.flat().map((answer) => (answer as { claimToken: string }).claimToken);
  expect(new Set(tokens).size).toBe(100);
  const receipts = await Promise.all(
    workspaces.map((no, index) =>
      open.ledger.receipts(
        no,
        results[(index + 1) % 5]!.map((answer) => ({
          claimToken: (answer as { claimToken: string }).claimToken,
          outcome: 'confirmed' as const,
        })),
      ),
    ),
  );
  expect(new Set(codes(receipts.flat()))).toEqual(new Set(['claim_token_unknown']));
});
