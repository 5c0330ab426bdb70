import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

import { actionId, actionKey } from '../../../ledger-service/src/domain/action-key';
import { type ClaimAnswer } from '../../../ledger-service/src/domain/answers';
import { Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

/** With a ledger of its own, so that nobody else waits behind what one test holds up. */
const onItsOwn = (): Story => new Story({ ...open, ledger: open.another() });

const WAIT_MS = 2_500;

async function rival(): Promise<Client> {
  const client = new Client({ connectionString: open.url });
  await client.connect();
  return client;
}

/** The lease is at least nine tenths of its second away, by the database's own clock, when the answer is there. */
async function expectLive(answer: ClaimAnswer): Promise<void> {
  const { rows } = await open.sql.query<{ left: number; now: Date }>(
    `SELECT (extract(epoch FROM due_at - since) * 1000)::float8 AS left, clock_timestamp() AS now
     FROM action_ledger.open_actions WHERE id = $1`,
    [answer.actionId],
  );
  expect(rows[0]!.left).toBeCloseTo(1_000, 0);
  expect(Date.parse(answer.leaseExpiresAt!) - rows[0]!.now.getTime()).toBeGreaterThan(500);
  expect(answer.leaseMs).toBe(1_000);
}

/** The columns that the table insists on, as another version of the service would write them. */
const RIVAL_INSERT = `
INSERT INTO action_ledger.actions (workspace_no, id, created_at, since, operation_no, version, revision, attempt,
  history_seq, lease_ms, call_position, key_attempts, failed_receipts, state, claimed_from, rotate_key, effect_seen,
  test_run, secret, account, subject, unresolved, effect_references, contradictions, receipts)
VALUES ($1, $2, now(), now(), 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, false, false, false, gen_random_uuid(), 'default', $3,
  '{}', '{}', '{}', '[]')`;

test.concurrent(
  'a lease is never born expired: the claim waited for another that took the same new key and gave it up',
  async () => {
    const client = await rival();
    try {
      const key = actionKey({ subject: 'contended', operation: 'reserve-seat' });
      await client.query('BEGIN');
      await client.query(RIVAL_INSERT, [open.workspaceNo, actionId(key), key.subject]);
      const began = performance.now();
      const claiming = open.another().claim(open.workspaceNo, { claims: [{ ...key, leaseSeconds: 1 }] });
      await sleep(WAIT_MS);
      await client.query('ROLLBACK');
      const [answer] = (await claiming) as ClaimAnswer[];
      expect(performance.now() - began).toBeGreaterThanOrEqual(WAIT_MS - 50);
      expect(answer).toMatchObject({ decision: 'proceed', attempt: 1, state: 'in_progress' });
      await expectLive(answer!);
    } finally {
      await client.end();
    }
  },
);

test.concurrent('a lease is never born expired: the claim waited for the row', async () => {
  const client = await rival();
  try {
    const story = onItsOwn();
    await story.register();
    await client.query('BEGIN');
    await client.query('SELECT FROM action_ledger.actions WHERE id = $1 FOR UPDATE', [story.id]);
    const began = performance.now();
    const claiming = story.ask({ leaseSeconds: 1 });
    await sleep(WAIT_MS);
    await client.query('COMMIT');
    const answer = await claiming;
    expect(performance.now() - began).toBeGreaterThanOrEqual(WAIT_MS - 50);
    expect(answer).toMatchObject({ decision: 'proceed', attempt: 1 });
    await expectLive(answer);
  } finally {
    await client.end();
  }
});

test.concurrent('a heartbeat that waited for the row extends from then, not from when it was sent', async () => {
  const client = await rival();
  try {
    const story = onItsOwn();
    await story.claim({ leaseSeconds: 30 });
    await client.query('BEGIN');
    await client.query('SELECT FROM action_ledger.actions WHERE id = $1 FOR UPDATE', [story.id]);
    const beating = story.heartbeat();
    await sleep(1_500);
    const { rows } = await open.sql.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    await client.query('COMMIT');
    const { result, leaseExpiresAt } = await beating;
    expect(result).toBe('extended');
    expect(Date.parse(leaseExpiresAt!)).toBeGreaterThanOrEqual(rows[0]!.now.getTime() + 30_000);
  } finally {
    await client.end();
  }
});

test('the table itself refuses a lease without a length', async () => {
  const story = new Story(open);
  await story.claim();
  await expect(
    open.sql.query('UPDATE action_ledger.open_actions SET due_at = since WHERE id = $1', [story.id]),
  ).rejects.toMatchObject({ code: '23514' });
  await expect(
    open.sql.query('UPDATE action_ledger.actions SET lease_ms = 0 WHERE id = $1', [story.id]),
  ).rejects.toMatchObject({ code: '23514' });
  await expect(
    open.sql.query('UPDATE action_ledger.open_actions SET due_at = NULL WHERE id = $1', [story.id]),
  ).rejects.toMatchObject({ code: '23502' });
});

test.concurrent(
  'a claim behind a lock that is never given back is answered all the same: the ledger cannot decide',
  async () => {
    const client = await rival();
    try {
      const story = onItsOwn();
      await story.register();
      await client.query('BEGIN');
      await client.query('SELECT FROM action_ledger.actions WHERE id = $1 FOR UPDATE', [story.id]);
      await expect(story.ask()).rejects.toMatchObject({ code: 'ledger_unavailable', status: 503 });
    } finally {
      await client.end();
    }
  },
  20_000,
);
