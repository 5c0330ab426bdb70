import { Client } from 'pg';

import { Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

let open: OpenLedger;
let story: Story;

beforeAll(async () => {
  open = await openLedger();
  story = new Story(open);
  await story.claim();
  await story.receipt('failed', { evidence: { status: 402 } });
  await story.claim();
  await story.receipt('confirmed', { reference: 'RSV-1', evidence: { seat: 12, note: 'ü "quoted" | piped' } });
});
afterAll(() => open.close());

const verified = async (one = story): Promise<boolean> => {
  const action = (await open.ledger.reading.byId(open.workspaceNo, one.id))!;
  return (await open.ledger.reading.history(action)).verified;
};

describe('append-only', () => {
  const CHANGES = [
    ['UPDATE', `UPDATE action_ledger.history SET kind = 'claimed' WHERE seq = 2`],
    ['DELETE', 'DELETE FROM action_ledger.history WHERE seq = 2'],
    ['TRUNCATE', 'TRUNCATE action_ledger.history'],
  ] as const;

  test.each(CHANGES)('%s is refused to a superuser', async (_what, sql) => {
    const { rows } = await open.sql.query<{ super: string }>(`SELECT current_setting('is_superuser') AS super`);
    expect(rows).toEqual([{ super: 'on' }]);
    await expect(open.sql.query(sql)).rejects.toMatchObject({ code: 'AL002' });
  });

  test.each(CHANGES)('%s is refused to the owner of the table', async (_what, sql) => {
    const client = new Client({ connectionString: open.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      // Rolled back: neither the role nor its ownership outlives the test.
      await client.query(`
        CREATE ROLE plain_owner;
        GRANT USAGE ON SCHEMA action_ledger TO plain_owner;
        GRANT CREATE ON SCHEMA action_ledger TO plain_owner;
        ALTER TABLE action_ledger.history OWNER TO plain_owner;
        SET ROLE plain_owner`);
      await expect(client.query(sql)).rejects.toMatchObject({ code: 'AL002' });
    } finally {
      await client.query('ROLLBACK');
      await client.end();
    }
  });

  test('also where a session plays a replica, whose ordinary triggers are off', async () => {
    const client = new Client({ connectionString: open.url });
    await client.connect();
    try {
      await client.query('SET session_replication_role = replica');
      for (const [, sql] of CHANGES) await expect(client.query(sql)).rejects.toMatchObject({ code: 'AL002' });
    } finally {
      await client.end();
    }
  });

  test('an UPDATE by way of a conflict is refused too', async () => {
    await expect(
      open.sql.query(
        `INSERT INTO action_ledger.history SELECT * FROM action_ledger.history
         ON CONFLICT (workspace_no, action_no, seq) DO UPDATE SET kind = 'claimed'`,
      ),
    ).rejects.toMatchObject({ code: 'AL002' });
  });
});

describe('the chain', () => {
  test('holds for what the ledger wrote', async () => expect(await verified()).toBe(true));

  test('shows every entry with what was found', async () => {
    const action = (await open.ledger.reading.byId(open.workspaceNo, story.id))!;
    const { entries } = await open.ledger.reading.history(action);
    expect(
      entries.map(({ seq, kind, fromState, toState, attempt }) => [seq, kind, fromState, toState, attempt]),
    ).toEqual([
      [1, 'claimed', 'none', 'in_progress', 1],
      [2, 'receipt_failed', 'in_progress', 'failed', 1],
      [3, 'claimed', 'failed', 'in_progress', 2],
      [4, 'receipt_confirmed', 'in_progress', 'confirmed', 2],
    ]);
    expect(entries[3]).toMatchObject({
      facts: { outcome: 'confirmed', references: ['RSV-1'] },
      details: { evidence: { seat: 12, note: 'ü "quoted" | piped' } },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('begins with the action: two actions with the same story have other digests', async () => {
    const { rows } = await open.sql.query<{ digests: number }>(
      'SELECT count(DISTINCT digest)::int AS digests FROM action_ledger.history',
    );
    expect(rows).toEqual([{ digests: 4 }]);
  });

  /** Tampers as only somebody with all rights can, looks, and puts it back. */
  async function tampering(sql: string): Promise<boolean> {
    const client = new Client({ connectionString: open.url });
    await client.connect();
    const held = await client.query<{ row: string }>('SELECT to_jsonb(h)::text AS row FROM action_ledger.history h');
    const details = await client.query<{ row: string }>(
      'SELECT to_jsonb(d)::text AS row FROM action_ledger.history_details d',
    );
    try {
      await client.query('ALTER TABLE action_ledger.history DISABLE TRIGGER ALL');
      await client.query(sql);
      return await verified();
    } finally {
      await client.query('DELETE FROM action_ledger.history');
      await client.query('DELETE FROM action_ledger.history_details');
      for (const [table, { rows }] of [
        ['history', held],
        ['history_details', details],
      ] as const) {
        for (const { row } of rows) {
          await client.query(
            `INSERT INTO action_ledger.${table} SELECT * FROM jsonb_populate_record(NULL::action_ledger.${table}, $1)`,
            [row],
          );
        }
      }
      await client.query('ALTER TABLE action_ledger.history ENABLE ALWAYS TRIGGER history_is_append_only');
      await client.query('ALTER TABLE action_ledger.history ENABLE ALWAYS TRIGGER history_is_not_truncated');
      await client.end();
    }
  }

  const update = (set: string, seq: number): string => `UPDATE action_ledger.history SET ${set} WHERE seq = ${seq}`;
  test.each([
    ['the kind of an entry', update(`kind = 'receipt_confirmed'`, 2)],
    ['the time of an entry, by a microsecond', update(`at = at + interval '1 microsecond'`, 2)],
    ['the state that it left', update('from_state = 1', 3)],
    ['the state that it led to', update('to_state = 3', 2)],
    ['the attempt', update('attempt = 2', 2)],
    ['the facts', update(`facts = replace(facts, 'RSV-1', 'RSV-2')`, 4)],
    ['what was found', `UPDATE action_ledger.history_details SET body = replace(body, '12', '13') WHERE seq = 4`],
    ['the salt', `UPDATE action_ledger.history_details SET salt = decode(repeat('00', 16), 'hex') WHERE seq = 4`],
    ['the digest of what was found', update(`details_digest = sha256('x')`, 4)],
    ['a digest', update(`digest = sha256('x')`, 4)],
    ['an entry is gone', 'DELETE FROM action_ledger.history WHERE seq = 2'],
    ['the last entry is gone', 'DELETE FROM action_ledger.history WHERE seq = 4'],
    ['all entries are gone', 'DELETE FROM action_ledger.history'],
    [
      'two entries have changed places',
      `UPDATE action_ledger.history SET seq = CASE seq WHEN 2 THEN 103 ELSE 102 END WHERE seq IN (2, 3);
       UPDATE action_ledger.history SET seq = seq - 100 WHERE seq > 100`,
    ],
  ])('tells when tampered with: %s', async (_what, sql) => {
    expect(await tampering(sql)).toBe(false);
    expect(await verified()).toBe(true);
  });

  test('stays whole when what people wrote is erased', async () => {
    const erased = new Story(open);
    await erased.claim();
    await erased.receipt('confirmed', { evidence: { name: 'Ada' } });
    await open.sql.query(
      `DELETE FROM action_ledger.history_details d USING action_ledger.actions a
       WHERE a.no = d.action_no AND a.id = $1`,
      [erased.id],
    );
    expect(await verified(erased)).toBe(true);
    const action = (await open.ledger.reading.byId(open.workspaceNo, erased.id))!;
    const { entries } = await open.ledger.reading.history(action);
    expect(entries.map(({ details }) => details)).toEqual([null, null]);
    // And erasing does not open the action again.
    expect((await erased.ask()).decision).toBe('already_done');
  });
});
