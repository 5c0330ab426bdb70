import { type ClaimAnswer } from '../../../ledger-service/src/domain/answers';
import { openLedger, type OpenLedger } from './open-ledger';

jest.setTimeout(40_000);

let open: OpenLedger;

beforeAll(async () => {
  open = await openLedger();
  await open.sql.query(`
    CREATE FUNCTION public.trouble() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'the server has a trouble of its own' USING ERRCODE = TG_ARGV[0]; END $$`);
});
afterAll(() => open.close());

/** PostgreSQL manual, appendix A: none of these says anything about what was to be stored. */
test.concurrent.each([
  ['disk_full', '53100'],
  ['out_of_memory', '53200'],
  ['query_canceled', '57014'],
  ['io_error', '58030'],
  ['lock_not_available', '55P03'],
])('%s is the ledger’s trouble, not the claim’s: it cannot decide, and nothing is recorded', async (name, code) => {
  await open.sql.query(`CREATE TRIGGER ${name} BEFORE INSERT ON action_ledger.actions FOR EACH ROW
    WHEN (NEW.subject LIKE '${name}%') EXECUTE FUNCTION public.trouble('${code}')`);
  const claims = [1, 2, 3].map((index) => ({ subject: `${name}-${index}`, operation: 'book' }));
  const blamed: unknown[] = [];
  const ledger = open.another({ onError: (error) => blamed.push(error) });
  await expect(ledger.claim(open.workspaceNo, { requestToken: name, claims })).rejects.toMatchObject({
    code: 'ledger_unavailable',
    status: 503,
  });
  await open.sql.query(`DROP TRIGGER ${name} ON action_ledger.actions`);
  const answers = await ledger.claim(open.workspaceNo, { requestToken: name, claims });
  expect(answers.map((answer) => (answer as ClaimAnswer).decision)).toEqual(['proceed', 'proceed', 'proceed']);
  expect(blamed).toEqual([]);
});
