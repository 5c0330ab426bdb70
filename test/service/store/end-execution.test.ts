import { Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

const holder = { kind: 'n8n', instanceId: 'n8n-1', workflowId: 'w', executionId: '1042' };

test('everything that the execution still holds becomes unknown, and nothing else', async () => {
  const held = Array.from({ length: 30 }, () => new Story(open));
  const others = Array.from({ length: 5 }, () => new Story(open));
  const ended = Array.from({ length: 5 }, () => new Story(open));
  await Promise.all([...held, ...ended].map((story) => story.claim({ holder })));
  await Promise.all(others.map((story) => story.claim()));
  await Promise.all(ended.map((story) => story.receipt('confirmed')));
  const elsewhere = await open.workspace('elsewhere');
  await open.ledger.claim(elsewhere, { claims: [{ subject: 'theirs', operation: 'book', holder }] });

  const abandoned = await open.ledger.endExecution(open.workspaceNo, { holder });

  expect(new Set(abandoned.map(({ actionId }) => actionId))).toEqual(new Set(held.map(({ id }) => id)));
  expect(abandoned.every(({ state }) => state === 'unknown')).toBe(true);
  expect(abandoned.map(({ actionKey }) => actionKey).sort()).toEqual(
    held.map(({ subject }) => `default:${subject}:reserve-seat`).sort(),
  );
  for (const story of held) expect((await story.stored())?.state).toBe('unknown');
  for (const story of others) expect((await story.stored())?.state).toBe('in_progress');
  for (const story of ended) expect((await story.stored())?.state).toBe('confirmed');
  const [theirs] = await open.ledger.claim(elsewhere, { claims: [{ subject: 'theirs', operation: 'book' }] });
  expect(theirs).toMatchObject({ decision: 'in_progress' });
});

test('told twice, also at once from two ledgers, it abandons each action once', async () => {
  const story = new Story(open);
  await story.claim();
  const request = { holder: story.holder(story.current.executionId) };
  const other = open.another();
  const told = await Promise.all([
    open.ledger.endExecution(open.workspaceNo, request),
    other.endExecution(open.workspaceNo, request),
    open.ledger.endExecution(open.workspaceNo, request),
  ]);
  expect(told.flat()).toHaveLength(1);
  expect((await story.stored())?.history.map(({ kind }) => kind)).toEqual(['claimed', 'abandoned']);
});

test('the cause is what the caller says it was', async () => {
  const story = new Story(open);
  await story.claim();
  await open.ledger.endExecution(open.workspaceNo, {
    holder: story.holder(story.current.executionId),
    cause: 'ended_without_receipt',
  });
  expect((await story.ask()).unknown).toMatchObject({ cause: 'ended_without_receipt' });
});

test('an execution is one of its instance and its workflow', async () => {
  const story = new Story(open);
  await story.claim({ holder });
  for (const other of [
    { instanceId: 'n8n-2' },
    { workflowId: 'v' },
    { executionId: '104' },
    { executionId: '10422' },
  ]) {
    expect(await open.ledger.endExecution(open.workspaceNo, { holder: { ...holder, ...other } })).toEqual([]);
  }
  expect((await story.stored())?.state).toBe('in_progress');
});

test('without an execution it is refused: it would end everything that has none', async () => {
  const story = new Story(open);
  await story.claim({ holder: { kind: 'n8n' } });
  for (const nobody of [{ kind: 'n8n' }, { kind: 'n8n', executionId: '' }]) {
    await expect(open.ledger.endExecution(open.workspaceNo, { holder: nobody })).rejects.toMatchObject({
      code: 'invalid_request',
      field: 'holder.executionId',
    });
  }
  expect((await story.stored())?.state).toBe('in_progress');
});

test('a receipt that comes after it is kept, late', async () => {
  const story = new Story(open);
  await story.claim();
  await story.crash();
  expect(await story.receipt('confirmed', { reference: 'RSV-1' })).toMatchObject({ result: 'recorded', late: true });
});
