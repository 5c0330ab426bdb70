import { Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

/**
 * A part of a statement that did not write what it meant to (a trigger, a rule or a policy of somebody's own that
 * swallows rows): nothing of the statement is kept, and nobody is told that it was.
 */
let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
  await open.sql.query(`CREATE FUNCTION public.swallow() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RETURN NULL; END $$`);
});
afterAll(() => open.close());

async function whileSwallowing(event: string, table: string, work: () => Promise<void>): Promise<void> {
  const on = `ON action_ledger.${table}`;
  await open.sql.query(`CREATE TRIGGER swallow BEFORE ${event} ${on} FOR EACH ROW EXECUTE FUNCTION public.swallow()`);
  try {
    await work();
  } finally {
    await open.sql.query(`DROP TRIGGER swallow ${on}`);
  }
}

const counts = async (): Promise<unknown> =>
  (
    await open.sql.query(`SELECT (SELECT count(*) FROM action_ledger.actions) AS actions,
      (SELECT count(*) FROM action_ledger.open_actions) AS open, (SELECT count(*) FROM action_ledger.history) AS history,
      (SELECT count(*) FROM action_ledger.history_details) AS details`)
  ).rows[0];

test.each(['open_actions', 'history', 'history_details'])(
  'a claim whose row in %s is missing is none',
  async (table) => {
    const story = new Story(open);
    const before = await counts();
    await whileSwallowing('INSERT', table, async () => {
      await expect(story.claim()).rejects.toMatchObject({ code: 'internal' });
    });
    expect(await counts()).toEqual(before);
    expect(await story.claim()).toMatchObject({ decision: 'proceed', attempt: 1 });
  },
);

test('a confirmed action that could not be closed is not confirmed', async () => {
  const story = new Story(open);
  await story.claim();
  const before = await counts();
  await whileSwallowing('DELETE', 'open_actions', async () => {
    await expect(story.receipt('confirmed')).rejects.toMatchObject({ code: 'internal' });
  });
  expect(await counts()).toEqual(before);
  expect(await story.stored()).toMatchObject({ state: 'in_progress', historySeq: 1 });
  expect(await story.receipt('confirmed')).toMatchObject({ result: 'recorded', replayed: false });
});

test('an action that could not be changed is decided again, and not taken for changed', async () => {
  const story = new Story(open);
  await story.claim();
  await whileSwallowing('UPDATE', 'actions', async () => {
    await expect(story.receipt('confirmed')).rejects.toMatchObject({ code: 'ledger_unavailable' });
  });
  expect(await story.stored()).toMatchObject({ state: 'in_progress', historySeq: 1 });
});
