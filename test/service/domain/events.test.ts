import { randomUUID } from 'node:crypto';

import { ledgerForFile } from './ledger-for-file';

const file = ledgerForFile();

const delivered = (id: string, source?: string) => ({ event: { id, ...(source === undefined ? {} : { source }) } });

test('the first delivery is no duplicate, the ones after it are and say so, whatever the answer', async () => {
  const story = file.story();
  const event = delivered(randomUUID(), 'stripe');
  const first = await story.claim(event);
  expect(first.event).toMatchObject({ duplicate: false, deliveries: 1 });
  expect(await story.ask(event)).toMatchObject({
    decision: 'in_progress',
    event: { duplicate: true, deliveries: 2, firstSeenAt: first.event!.firstSeenAt },
  });
  await story.receipt('confirmed');
  expect(await story.ask(event)).toMatchObject({
    decision: 'already_done',
    event: { duplicate: true, deliveries: 3, firstSeenAt: first.event!.firstSeenAt },
  });
});

test('another event for the same action is another event, and the action still happens once', async () => {
  const story = file.story();
  await story.claim(delivered('evt-1'));
  expect(await story.ask(delivered('evt-2'))).toMatchObject({
    decision: 'in_progress',
    event: { duplicate: false, deliveries: 1 },
  });
});

test('one event may ask for several actions: each counts its own deliveries', async () => {
  const id = randomUUID();
  const [one, other] = [file.story(), file.story()];
  const first = await one.claim(delivered(id));
  const second = await other.claim(delivered(id));
  expect(second).toMatchObject({ decision: 'proceed', event: { deliveries: 1, duplicate: false } });
  expect(second.event!.firstSeenAt).toBe(first.event!.firstSeenAt);
});

test('the same number from another source is another event; without a source it is the default one', async () => {
  const story = file.story();
  const id = randomUUID();
  await story.claim(delivered(id, 'stripe'));
  expect((await story.ask(delivered(id, 'shop'))).event).toMatchObject({ duplicate: false });
  expect((await story.ask(delivered(id))).event).toMatchObject({ duplicate: false });
  expect((await story.ask(delivered(id, 'default'))).event).toMatchObject({ duplicate: true });
});

test('the repetition of a call is no delivery', async () => {
  const story = file.story();
  const event = delivered(randomUUID());
  const { event: seen } = await story.claim(event);
  for (let time = 0; time < 3; time++) {
    expect((await story.ask(event, { requestToken: story.current.requestToken })).event).toEqual(seen);
  }
  expect((await story.ask(event)).event).toMatchObject({ deliveries: 2 });
});

test('a call that comes again after its claim was released is a delivery of its own', async () => {
  const story = file.story();
  const event = delivered(randomUUID());
  await story.claim(event);
  await story.release();
  const again = await story.ask(event, { requestToken: story.current.requestToken });
  expect(again).toMatchObject({ decision: 'proceed', attempt: 2, event: { deliveries: 2, duplicate: true } });
});

test('five deliveries at once through two ledgers: one proceeds and one is the first', async () => {
  const other = file.open.another();
  for (let round = 0; round < 10; round++) {
    const story = file.story();
    const claims = [{ ...story.key, ...delivered(randomUUID()) }];
    const answers = await Promise.all(
      [0, 1, 0, 1, 0].map(async (which) => {
        const [answer] = await (which === 0 ? file.open.ledger : other).claim(file.open.workspaceNo, { claims });
        return answer as unknown as { decision: string; event: { duplicate: boolean; deliveries: number } };
      }),
    );
    expect(answers.filter(({ decision }) => decision === 'proceed')).toHaveLength(1);
    expect(answers.filter(({ event }) => !event.duplicate)).toHaveLength(1);
    expect(answers.find(({ event }) => !event.duplicate)?.decision).toBe('proceed');
  }
});

test('which event asked for which action, and what it was answered, is in the log', async () => {
  const story = file.story();
  await story.claim(delivered('evt-log', 'stripe'));
  await story.ask({ ...delivered('evt-log', 'stripe'), details: { amount: 1 } });
  await story.receipt('confirmed');
  await story.ask(delivered('evt-log-2', 'stripe'));
  const { rows } = await file.open.sql.query<{ event_id: string; decision: string }>(
    `SELECT e.event_id, c.decision FROM action_ledger.event_claims c
     JOIN action_ledger.events e ON e.workspace_no = c.workspace_no AND e.id = c.event_id
     WHERE c.action_id = $1 ORDER BY c.at`,
    [story.id],
  );
  expect(rows.map(({ event_id, decision }) => [event_id, decision])).toEqual([
    ['evt-log', 'proceed'],
    ['evt-log', 'mismatch'],
    ['evt-log-2', 'already_done'],
  ]);
  // People are shown each event once, with what it was answered last; the newest first.
  expect(await file.open.ledger.reading.events(file.open.workspaceNo, story.id)).toMatchObject([
    { source: 'stripe', id: 'evt-log-2', deliveries: 1, lastDecision: 'already_done' },
    { source: 'stripe', id: 'evt-log', deliveries: 2, lastDecision: 'mismatch' },
  ]);
});

test('a claim that waits is one delivery, however often it looked again', async () => {
  const story = file.story();
  await story.claim();
  const event = delivered(randomUUID());
  const [waited] = await file.open.ledger.claim(file.open.workspaceNo, {
    waitMs: 500,
    claims: [{ ...story.key, ...event }],
  });
  expect(waited).toMatchObject({ decision: 'in_progress', event: { deliveries: 1, duplicate: false } });
  expect((await story.ask(event)).event).toMatchObject({ deliveries: 2 });
});

test.each([
  ['an empty id', { id: ' ' }, 'event.id'],
  ['a control character', { id: 'a\u0007' }, 'event.id'],
  ['an empty source', { id: 'a', source: '' }, 'event.source'],
  ['a time that is none', { id: 'a', occurredAt: 'yesterday' }, 'event.occurredAt'],
])('refuses %s, naming the field, and claims nothing', async (_what, event, field) => {
  const story = file.story();
  await expect(story.ask({ event })).rejects.toMatchObject({ field, status: 400 });
  expect((await story.ask()).attempt).toBe(1);
});
