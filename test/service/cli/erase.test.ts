import { createTestDatabase, type TestDatabase } from '../../setup/database';
import { Ledger } from '../../../ledger-service/src/store/ledger';
import { migrate } from '../../../ledger-service/src/store/migrate';
import { CommandLine, type Ended } from './command-line';

let database: TestDatabase;
let ledger: Ledger;

beforeAll(async () => {
  database = await createTestDatabase();
  ledger = new Ledger({ databaseUrl: database.url });
  await migrate(ledger.database);
});

afterAll(async () => {
  await ledger.stop();
  await database.drop();
});

const erase = (...args: string[]): Promise<Ended> =>
  CommandLine.run(['erase', ...args], { env: { DATABASE_URL: database.url } });

async function act(operation: string, outcome: 'confirmed' | 'unknown'): Promise<void> {
  const [answer] = await ledger.claim(1, {
    claims: [{ account: 'shop-1', subject: 'workshop-842', operation, details: { name: 'Ada' } }],
  });
  const { claimToken } = answer as { claimToken: string };
  await ledger.receipts(1, [{ claimToken, outcome, evidence: { answered: 'Dear Ada' } }]);
}

const details = async (): Promise<number> =>
  (await ledger.database.query('SELECT FROM action_ledger.history_details')).rows.length;

test('says what would be erased, erases it, and says what stays', async () => {
  await act('reserve-seat', 'confirmed');
  await act('send-confirmation', 'unknown');
  const subject = ['--subject', 'workshop-842', '--account', 'shop-1'];

  const would = await erase(...subject, '--dry-run');
  expect(would).toMatchObject({ code: 0, stderr: '' });
  expect(would.stdout).toMatch(/^Action +State +Would be erased +Kept$/m);
  expect(would.stdout).toMatch(/^shop-1:workshop-842:reserve-seat +confirmed +2 +0$/m);
  expect(would.stdout).toMatch(/^shop-1:workshop-842:send-confirmation +unknown +0 +2$/m);
  expect(would.stdout).toContain('Nothing was erased: 2 steps’ details would be.');
  expect(await details()).toBe(4);

  const done = await erase(...subject);
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toContain('2 steps’ details were erased for good.');
  expect(done.stdout).toContain('The 2 actions stay, with state, references and digests.');
  expect(done.stdout).toContain('--include-undecided');
  expect(done.stdout).not.toContain('Ada');
  expect(await details()).toBe(2);

  const all = await erase(...subject, '--include-undecided');
  expect(all.stdout).toMatch(/send-confirmation +unknown +2 +0/);
  expect(await details()).toBe(0);
}, 120_000);

test('a subject or workspace that is not there, and a subject that is none, are named, and nothing is erased', async () => {
  await act('charge', 'confirmed');
  const before = await details();
  const [unheard, elsewhere, empty, none] = await Promise.all([
    erase('--subject', 'workshop-843', '--account', 'shop-1'),
    erase('--subject', 'workshop-842', '--workspace', 'nobody'),
    erase('--subject', ' '),
    erase(),
  ]);
  expect(unheard).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no action of the subject "workshop-843"'),
  });
  expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('no workspace "nobody"') });
  expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('subject is empty') });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--subject') });
  expect(await details()).toBe(before);
}, 120_000);
