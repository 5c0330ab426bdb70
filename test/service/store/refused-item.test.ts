import { randomBytes } from 'node:crypto';

import { DatabaseError } from 'pg';

import { Problem } from '../../../ledger-service/src/domain/problem';
import { sound, Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

let open: OpenLedger;
const refused: unknown[] = [];

beforeAll(async () => {
  open = await openLedger({ onError: (error) => refused.push(error) });
});
beforeEach(() => refused.splice(0));
afterAll(() => open.close());

/** Longer than a row of an index may be, and nothing that could be compressed: PostgreSQL refuses to store it. */
const unindexable = (): string => randomBytes(6_000).toString('base64');

const codesOf = (answers: readonly unknown[]): string[] =>
  answers.map((answer) => (answer instanceof Problem ? answer.code : 'answered'));

test('a receipt that PostgreSQL refuses does not fail its neighbours', async () => {
  const stories = Array.from({ length: 60 }, () => new Story(open));
  await Promise.all(stories.map((story) => story.claim()));
  const bad = new Set([0, 17, 18, 59]);
  const answers = await open.ledger.receipts(
    open.workspaceNo,
    stories.map((story, index) => ({
      claimToken: story.current.claimToken,
      outcome: 'confirmed',
      reference: bad.has(index) ? unindexable() : `RSV-${index}`,
    })),
  );
  expect(codesOf(answers)).toEqual(stories.map((_, index) => (bad.has(index) ? 'internal' : 'answered')));
  for (const [index, story] of stories.entries()) {
    const stored = (await story.stored())!;
    expect(stored.state).toBe(bad.has(index) ? 'in_progress' : 'confirmed');
    expect(stored.historySeq).toBe(bad.has(index) ? 1 : 2);
  }
  expect(refused).toHaveLength(4);
  expect(refused.every((error) => error instanceof DatabaseError && error.code === '54000')).toBe(true);
});

test('the item that was refused may be sent again, corrected', async () => {
  const story = new Story(open);
  await story.claim();
  await expect(story.receipt('confirmed', { reference: unindexable() })).rejects.toMatchObject({ code: 'internal' });
  expect(await story.receipt('confirmed', { reference: 'RSV-1' })).toMatchObject({ result: 'recorded', late: false });
});

/** A statement fails as long as this claim is in it, like one that meets what no check foresaw. */
test('a claim that PostgreSQL refuses does not fail its neighbours, nor is anything of it left', async () => {
  await open.sql.query(
    `ALTER TABLE action_ledger.actions ADD CONSTRAINT no_poison CHECK (subject NOT LIKE 'poison-%')`,
  );
  try {
    const subjects = Array.from({ length: 90 }, (_, index) =>
      index % 30 === 7 ? `poison-${index}` : `sound-${index}`,
    );
    const call = {
      requestToken: 'one-call',
      claims: subjects.map((subject) => ({ subject, operation: 'book', event: { id: 'evt-1' } })),
    };
    const answers = await open.ledger.claim(open.workspaceNo, call);
    expect(codesOf(answers)).toEqual(subjects.map((subject) => (subject.startsWith('p') ? 'internal' : 'answered')));
    expect(answers.filter((answer) => !(answer instanceof Problem) && answer.decision === 'proceed')).toHaveLength(87);
    const { rows } = await open.sql.query<{ count: number }>(
      `SELECT count(*)::int FROM action_ledger.event_claims c WHERE NOT EXISTS (
         SELECT FROM action_ledger.actions a WHERE a.workspace_no = c.workspace_no AND a.id = c.action_id)`,
    );
    expect(rows).toEqual([{ count: 0 }]);
    // The same call again: who was granted is told so again, with the same token.
    const again = await open.ledger.claim(open.workspaceNo, call);
    expect(again.map((answer) => answer instanceof Problem || sound(answer).claimToken)).toEqual(
      answers.map((answer) => answer instanceof Problem || sound(answer).claimToken),
    );
  } finally {
    await open.sql.query('ALTER TABLE action_ledger.actions DROP CONSTRAINT no_poison');
  }
});

test('callers whose items share the batch of a refused one never notice', async () => {
  const stories = Array.from({ length: 20 }, () => new Story(open));
  await Promise.all(stories.map((story) => story.claim()));
  const results = await Promise.allSettled(
    stories.map((story, index) =>
      story.receipt('confirmed', { reference: index === 10 ? unindexable() : `SHARED-${index}` }),
    ),
  );
  expect(results.map(({ status }) => status)).toEqual(
    stories.map((_, index) => (index === 10 ? 'rejected' : 'fulfilled')),
  );
});

test('an item that is wrong by itself is answered in its place and costs nothing', async () => {
  const answers = await open.ledger.claim(open.workspaceNo, {
    claims: [
      { subject: '', operation: 'book' },
      { subject: 'fine-1', operation: 'book' },
      new Problem('invalid_request', 'refused by the transport'),
      { subject: 'fine-2', operation: 'book', details: { n: 2 ** 60 } },
      { subject: 'fine-3', operation: 'book' },
    ],
  });
  expect(codesOf(answers)).toEqual(['invalid_key', 'answered', 'invalid_request', 'invalid_details', 'answered']);
  expect(refused).toEqual([]);
});
