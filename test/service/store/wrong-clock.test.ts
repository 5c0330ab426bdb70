import { Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

/** The machine that the service runs on has another time than the database: nothing is decided by it. */
let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());
afterEach(() => jest.restoreAllMocks());

const MINUTES = 60_000;

function setClock(offMinutes: number): void {
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + offMinutes * MINUTES);
}

const databaseNow = async (): Promise<number> =>
  (await open.sql.query<{ now: Date }>('SELECT clock_timestamp() AS now')).rows[0]!.now.getTime();

test.each([-10, 10])('%d minutes: a lease begins and ends by the clock of the database', async (off) => {
  setClock(off);
  const story = new Story(open);
  const before = await databaseNow();
  const { leaseExpiresAt } = await story.claim({ leaseSeconds: 300 });
  const after = await databaseNow();
  expect(Date.parse(leaseExpiresAt!)).toBeGreaterThanOrEqual(before + 300_000);
  expect(Date.parse(leaseExpiresAt!)).toBeLessThanOrEqual(after + 300_000);
  // Live for everyone, however far ahead the service believes to be.
  expect(await story.ask()).toMatchObject({ decision: 'in_progress' });
  expect(await open.ledger.sweep()).toBe(0);
  expect(await story.heartbeat()).toMatchObject({ result: 'extended' });
  expect(await story.receipt('confirmed')).toMatchObject({ result: 'recorded', late: false });
});

test.each([-10, 10])('%d minutes: a lease that is over is over', async (off) => {
  const story = new Story(open);
  await story.claim({ leaseSeconds: 1 });
  await story.leaseOver();
  setClock(off);
  expect(await story.heartbeat()).toMatchObject({ result: 'lost' });
  expect(await story.ask()).toMatchObject({ decision: 'unknown', unknown: { cause: 'lease_expired' } });
  expect(await story.receipt('confirmed')).toMatchObject({ result: 'recorded', late: true });
});

test.each([-10, 10])('%d minutes: the replay window counts from the database’s now', async (off) => {
  await open.configure('windowed', { replayWindowDays: 1 });
  setClock(off);
  const ask = (ageMs: number, subject: string) =>
    databaseNow().then((now) => {
      const event = { id: subject, occurredAt: new Date(now - ageMs).toISOString() };
      return open.ledger.claim(open.workspaceNo, { claims: [{ subject, operation: 'windowed', event }] });
    });
  const day = 24 * 60 * MINUTES;
  expect(await ask(day - 5 * MINUTES, `young ${off}`)).toMatchObject([{ decision: 'proceed' }]);
  expect(await ask(day + 5 * MINUTES, `old ${off}`)).toMatchObject([{ decision: 'too_old' }]);
});
