import { configureOperation } from '../../../ledger-service/src/store/configure-operation';
import { type Ledger } from '../../../ledger-service/src/store/ledger';
import { type PolicyChange } from '../../../ledger-service/src/domain/policy-change';
import { Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

let open: OpenLedger;
/** Another process: what it saves is not in the first one's memory. */
let other: Ledger;

beforeAll(async () => {
  open = await openLedger();
  other = open.another();
});
afterAll(() => open.close());

const elsewhere = async (name: string, change: PolicyChange): Promise<void> => {
  const { revision } = (await other.operations.find({ workspaceNo: open.workspaceNo, name }))!;
  await configureOperation(other.operations, { workspaceNo: open.workspaceNo, name, change, revision });
};

test('an operation that nobody configured works with the safe defaults, and says that it is not configured', async () => {
  const story = new Story(open, 'never-configured');
  expect(await story.claim()).toMatchObject({ operationConfigured: false, leaseMs: 300_000 });
  await story.crash();
  const again = await story.ask({ holder: { kind: 'n8n', sendsIdempotencyKey: true } });
  expect(again).toMatchObject({ decision: 'unknown', unknown: { owner: null }, operationConfigured: false });
});

test('a policy that another process changed holds for the next decision', async () => {
  await open.configure('strict', { retryAfterFailure: true, leaseSeconds: 100 });
  const [one, next] = [new Story(open, 'strict'), new Story(open, 'strict')];
  expect((await one.claim()).leaseMs).toBe(100_000);
  await one.receipt('failed');
  await elsewhere('strict', { retryAfterFailure: false, leaseSeconds: 7 });
  // What is remembered of the policy is proved by the write, so that no decision under the old one is ever written.
  expect((await one.ask()).decision).toBe('failed');
  expect((await next.claim()).leaseMs).toBe(7_000);
});

test('a replay window that another process set refuses the next new key', async () => {
  await open.configure('dated', { leaseSeconds: 60 });
  await new Story(open, 'dated').claim();
  await elsewhere('dated', { replayWindowDays: 1 });
  expect((await new Story(open, 'dated').ask()).decision).toBe('too_old');
});

test('also where the answer under the old policy would change nothing, and so is proved by no write', async () => {
  await open.configure('lenient', { retryAfterFailure: false, owner: 'Ada' });
  const [failed, unknown] = [new Story(open, 'lenient'), new Story(open, 'lenient')];
  await failed.claim();
  await failed.receipt('failed');
  await unknown.claim();
  await unknown.crash();
  expect((await failed.ask()).decision).toBe('failed');
  await elsewhere('lenient', { retryAfterFailure: true, owner: 'Grace' });
  expect((await unknown.ask()).unknown).toMatchObject({ owner: 'Grace' });
  expect((await failed.ask()).decision).toBe('proceed');

  await open.configure('reopened', { replayWindowDays: 1 });
  const story = new Story(open, 'reopened');
  expect((await story.ask()).decision).toBe('too_old');
  await elsewhere('reopened', { replayWindowDays: null });
  expect((await story.ask()).decision).toBe('proceed');
});

test('two callers with conflicting settings: the second is told both values, and nothing is changed', async () => {
  await open.configure('contested', { leaseSeconds: 60, owner: 'Ada' });
  const conflict = configureOperation(other.operations, {
    workspaceNo: open.workspaceNo,
    name: 'contested',
    change: { leaseSeconds: 90, owner: 'Ada' },
    revision: null,
  });
  await expect(conflict).rejects.toMatchObject({
    code: 'policy_conflict',
    status: 409,
    field: 'leaseSeconds',
    message: expect.stringMatching(/60.*90/),
    facts: { conflicts: [{ field: 'leaseSeconds', current: 60, given: 90 }] },
  });
  const { policy } = (await open.ledger.operations.find({ workspaceNo: open.workspaceNo, name: 'contested' }))!;
  expect(policy).toMatchObject({ leaseSeconds: 60, owner: 'Ada' });
});

test('many that set an operation at once from one revision: one of them does', async () => {
  await open.configure('raced', { leaseSeconds: 60 });
  const { revision } = (await other.operations.find({ workspaceNo: open.workspaceNo, name: 'raced' }))!;
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) =>
      configureOperation((index % 2 === 0 ? open.ledger : other).operations, {
        workspaceNo: open.workspaceNo,
        name: 'raced',
        change: { leaseSeconds: 100 + index },
        revision,
      }),
    ),
  );
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'policy_conflict' });
  }
});

test('the table itself refuses a safe repeat without a destination that remembers keys', async () => {
  await open.configure('unsafe', { leaseSeconds: 60 });
  await expect(
    open.sql.query(`UPDATE action_ledger.operations SET safe_repeat = true WHERE name = 'unsafe'`),
  ).rejects.toMatchObject({ code: '23514' });
});
