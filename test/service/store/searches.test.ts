import { type Action } from '../../../ledger-service/src/domain/action';
import { eventName } from '../../../ledger-service/src/domain/requests';
import { type ActionSearch } from '../../../ledger-service/src/store/search-actions';
import { openLedger, type OpenLedger } from './open-ledger';

jest.setTimeout(60_000);

const COUNT = 2_000;
const OPERATIONS = ['reserve-seat', 'charge', 'send-confirmation'] as const;
const ACCOUNTS = ['shop-1', 'shop-2'] as const;
const OUTCOMES = ['confirmed', 'failed', 'unknown', null] as const;

/** What is known of each action without asking the ledger. */
interface Known {
  account: string;
  subject: string;
  operation: string;
  version: number;
  state: string;
  reference: string | null;
  event: string;
}

let open: OpenLedger;
const known: Known[] = [];
let half: Date;

beforeAll(async () => {
  open = await openLedger();
  for (let from = 0; from < COUNT; from += 500) {
    if (from === COUNT / 2)
      half = (await open.sql.query<{ now: Date }>('SELECT clock_timestamp() AS now')).rows[0]!.now;
    await makeSome(from, from + 500);
  }
});
afterAll(() => open.close());

async function makeSome(from: number, to: number): Promise<void> {
  const made = Array.from({ length: to - from }, (_, index): Known => {
    const number = from + index;
    const outcome = OUTCOMES[number % 4]!;
    return {
      account: ACCOUNTS[Math.floor(number / 7) % 2]!,
      subject: `workshop-${number % 300}`,
      operation: OPERATIONS[number % 3]!,
      version: 1 + Math.floor(number / 300),
      state: outcome ?? 'in_progress',
      reference: outcome === 'confirmed' ? `RSV-${number % 50}` : null,
      event: `evt-${number % 40}`,
    };
  });
  const claimed = await open.ledger.claim(open.workspaceNo, {
    claims: made.map(({ account, subject, operation, version, event }) => ({
      account,
      subject,
      operation,
      version,
      event: { source: 'stripe', id: event },
    })),
  });
  await open.ledger.receipts(
    open.workspaceNo,
    made.flatMap(({ reference }, index) => {
      const outcome = OUTCOMES[(from + index) % 4];
      const { claimToken } = claimed[index] as { claimToken: string };
      return outcome == null ? [] : [{ claimToken, outcome, reference }];
    }),
  );
  known.push(...made);
}

const nameOf = ({ account, subject, operation, version }: Omit<Known, 'state' | 'reference' | 'event'>): string =>
  `${account}:${subject}:${operation}:${version}`;

/** All pages, one after the other. */
async function all(search: Omit<ActionSearch, 'limit'>, limit: number): Promise<Action[]> {
  const found: Action[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await open.ledger.search(open.workspaceNo, {
      ...search,
      limit,
      ...(cursor == null ? {} : { cursor }),
    });
    expect(page.actions.length).toBeLessThanOrEqual(limit);
    if (page.nextCursor !== null) expect(page.actions).toHaveLength(limit);
    found.push(...page.actions);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

const expectExactly = (found: Action[], is: (one: Known) => boolean): void => {
  const names = found.map(({ key }) => nameOf(key));
  expect(new Set(names).size).toBe(names.length);
  expect(names.sort()).toEqual(known.filter(is).map(nameOf).sort());
};

const CONDITIONS: [string, Omit<ActionSearch, 'limit'>, (one: Known) => boolean][] = [
  ['nothing', {}, () => true],
  ['a key', { key: 'shop-1:workshop-3:reserve-seat' }, (one) => nameOf(one) === 'shop-1:workshop-3:reserve-seat:1'],
  ['a subject', { subject: 'workshop-7' }, ({ subject }) => subject === 'workshop-7'],
  [
    'a subject of one account',
    { subject: 'workshop-7', account: 'shop-2' },
    ({ subject, account }) => subject === 'workshop-7' && account === 'shop-2',
  ],
  ['an account', { account: 'shop-2' }, ({ account }) => account === 'shop-2'],
  ['an operation', { operation: 'charge' }, ({ operation }) => operation === 'charge'],
  ['a state that is open', { state: 'unknown' }, ({ state }) => state === 'unknown'],
  ['what is in progress', { state: 'in_progress' }, ({ state }) => state === 'in_progress'],
  ['what failed', { state: 'failed' }, ({ state }) => state === 'failed'],
  ['what is confirmed', { state: 'confirmed' }, ({ state }) => state === 'confirmed'],
  ['a reference', { reference: 'RSV-8' }, ({ reference }) => reference === 'RSV-8'],
  ['an event', { eventId: eventName('stripe', 'evt-11').id }, ({ event }) => event === 'evt-11'],
  [
    'everything together',
    { account: 'shop-1', operation: 'charge', state: 'failed' },
    ({ account, operation, state }) => account === 'shop-1' && operation === 'charge' && state === 'failed',
  ],
  [
    'an event and a state',
    { eventId: eventName('stripe', 'evt-12').id, state: 'confirmed' },
    ({ event, state }) => event === 'evt-12' && state === 'confirmed',
  ],
  [
    'a confirmed operation of an account',
    { account: 'shop-2', operation: 'reserve-seat', state: 'confirmed' },
    ({ account, operation, state }) => account === 'shop-2' && operation === 'reserve-seat' && state === 'confirmed',
  ],
  ['what is not there', { subject: 'workshop-300' }, () => false],
  ['an operation that is not there', { operation: 'refund' }, () => false],
  ['a reference that is not there', { reference: 'RSV' }, () => false],
  ['a state that none is in', { state: 'pending' }, () => false],
];

test.each(CONDITIONS)('by %s: all of them, each once, whatever the size of the page', async (_what, search, is) => {
  const count = known.filter(is).length;
  for (const limit of [7, 100, 1_000].filter((size) => count / size < 60)) expectExactly(await all(search, limit), is);
});

test('by time: from is in, to is out, and the two halves are the whole', async () => {
  const at = half.getTime();
  const [before, after] = [await all({ to: at }, 300), await all({ from: at }, 300)];
  expect(before).toHaveLength(COUNT / 2);
  expect(after).toHaveLength(COUNT / 2);
  expect(before.every(({ createdAt }) => createdAt < at)).toBe(true);
  expect(after.every(({ createdAt }) => createdAt >= at)).toBe(true);
  expectExactly([...before, ...after], () => true);
  const both = await all({ from: at, to: at + 3_600_000, operation: 'charge', state: 'unknown' }, 10);
  expect(
    both.every(({ createdAt, state, key }) => createdAt >= at && state === 'unknown' && key.operation === 'charge'),
  ).toBe(true);
  expect(both.length).toBe(
    known.slice(COUNT / 2).filter((one) => one.operation === 'charge' && one.state === 'unknown').length,
  );
});

test('the newest come first', async () => {
  const { actions } = await open.ledger.search(open.workspaceNo, { limit: 500 });
  const times = actions.map(({ createdAt }) => createdAt);
  expect(times).toEqual([...times].sort((a, b) => b - a));
  const newest = await open.sql.query<{ id: string }>(
    'SELECT id FROM action_ledger.actions ORDER BY created_at DESC, id DESC LIMIT 500',
  );
  expect(actions.map(({ id }) => id)).toEqual(newest.rows.map(({ id }) => id));
});

test('actions that are made while somebody pages neither repeat nor hide any that were there', async () => {
  const there = new Set(known.map(nameOf));
  const seen: string[] = [];
  let cursor: string | null = null;
  let page = 0;
  do {
    const result: { actions: Action[]; nextCursor: string | null } = await open.ledger.search(open.workspaceNo, {
      limit: 400,
      ...(cursor === null ? {} : { cursor }),
    });
    seen.push(...result.actions.map(({ key }) => nameOf(key)));
    cursor = result.nextCursor;
    await open.ledger.claim(open.workspaceNo, {
      claims: [{ subject: `meanwhile-${page++}`, operation: 'reserve-seat', account: 'shop-1' }],
    });
  } while (cursor !== null);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.filter((name) => there.has(name))).toHaveLength(COUNT);
  await open.sql.query(`DELETE FROM action_ledger.actions WHERE subject LIKE 'meanwhile-%'`);
});

test.each([
  '',
  'nonsense',
  'eyJpZCI6MX0',
  Buffer.from('{"id":"x"}').toString('base64url'),
  Buffer.from('null').toString('base64url'),
])('a cursor that no page ended with is refused: %j', async (cursor) => {
  await expect(open.ledger.search(open.workspaceNo, { limit: 10, cursor })).rejects.toMatchObject({
    code: 'invalid_request',
    field: 'cursor',
    status: 400,
  });
});

test.each([
  ['another search by time', { subject: 'workshop-7' }],
  ['the queue', { state: 'unknown' }],
] as const)('a cursor of %s is not taken for one of the whole list', async (_what, other) => {
  const { nextCursor } = await open.ledger.search(open.workspaceNo, { limit: 1, ...other });
  const misused = await open.ledger
    .search(open.workspaceNo, { limit: 10, cursor: nextCursor! })
    .catch((error: unknown) => error);
  expect(misused).toMatchObject({ code: 'invalid_request', field: 'cursor' });
});

test('what people typed is data, not SQL and not a pattern', async () => {
  for (const text of [`'; DROP TABLE action_ledger.actions; --`, '%', '_', '\\', '"', `workshop-7' OR '1'='1`]) {
    for (const condition of [{ subject: text }, { account: text }, { operation: text }, { reference: text }]) {
      expect(await all(condition, 10)).toEqual([]);
    }
  }
});
