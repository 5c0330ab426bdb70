import { Client } from 'pg';

import { Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

let open: OpenLedger;
let rival: Client;

beforeAll(async () => {
  open = await openLedger();
  rival = new Client({ connectionString: open.url });
  await rival.connect();
});
afterAll(async () => {
  await rival.end();
  await open.close();
});

/** Somebody holds the row's lock as long as the test looks. */
async function whileLocked(story: Story, look: () => Promise<void>): Promise<void> {
  await rival.query('BEGIN');
  await rival.query('SELECT FROM action_ledger.actions WHERE id = $1 FOR UPDATE', [story.id]);
  await rival.query('SELECT FROM action_ledger.open_actions WHERE id = $1 FOR UPDATE', [story.id]);
  try {
    await look();
  } finally {
    await rival.query('ROLLBACK');
  }
}

test('lock nothing: they are answered while somebody else holds the row', async () => {
  const [confirmed, held] = [new Story(open), new Story(open)];
  await confirmed.claim();
  await confirmed.receipt('confirmed', { reference: 'RSV-1' });
  await held.claim();
  const began = performance.now();
  await whileLocked(confirmed, async () => {
    expect((await confirmed.ask()).decision).toBe('already_done');
    expect((await confirmed.ask({ details: { amount: 1 } })).decision).toBe('mismatch');
    expect((await confirmed.heartbeat()).result).toBe('lost');
  });
  await whileLocked(held, async () => {
    expect((await held.ask()).decision).toBe('in_progress');
    expect((await new Story(open).ask()).decision).toBe('proceed');
  });
  // Far below the lock's time-out.
  expect(performance.now() - began).toBeLessThan(2_500);
});

test('are written by nobody: a thousand duplicates leave the row as it was', async () => {
  const story = new Story(open);
  await story.claim();
  await story.receipt('confirmed', { reference: 'RSV-1' });
  const before = await story.stored();
  const claims = Array.from({ length: 1_000 }, () => story.key);
  const answers = await open.ledger.claim(open.workspaceNo, { claims });
  expect(answers.every((answer) => 'decision' in answer && answer.decision === 'already_done')).toBe(true);
  expect(await story.stored()).toEqual(before);
});

test('another action under the same identity is never somebody else’s answer', async () => {
  const story = new Story(open);
  await story.claim();
  await story.receipt('confirmed', { reference: 'RSV-1' });
  // What two keys with one 16-byte hash would look like.
  await open.sql.query(`UPDATE action_ledger.actions SET subject = 'somebody-else' WHERE id = $1`, [story.id]);
  const before = await story.stored();
  await expect(story.ask()).rejects.toMatchObject({ code: 'key_collision', status: 500 });
  await expect(story.register()).rejects.toMatchObject({ code: 'key_collision' });
  const { requestToken } = story.current;
  const [release] = await open.ledger.releases(open.workspaceNo, [{ ...story.key, requestToken, position: 0 }]);
  expect(release).toMatchObject({ code: 'key_collision' });
  expect(await story.stored()).toEqual(before);
});
