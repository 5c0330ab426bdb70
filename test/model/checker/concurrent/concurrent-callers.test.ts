import { Random } from '../../../faults/random';
import { checkHistory } from '../check-history';
import { Board, PlannedCaller, OPERATION } from './planned-caller';
import { planOf } from './plan';
import { type Call } from '../history';
import { LedgerCaller, UNDISTURBED } from './ledger-caller';
import { HistoryRecorder } from '../record-history';
import { type TwoServices, twoServices } from './two-services';

// Less than a minute on a machine that has nothing else to do.
jest.setTimeout(600_000);

/** `MODEL_SEED` draws other calls; what runs at the same moment is the machine's choice all the same. */
const SEED = Number(process.env['MODEL_SEED'] ?? 20_260_101);
const CALLERS = 24;
const LAST_LOOK = 'last look';
const KEYS = 324;

let services: TwoServices;
const recorder = new HistoryRecorder();
const histories = recorder.histories();

beforeAll(async () => {
  services = await twoServices();
  const board = new Board();
  const callers = Array.from(
    { length: CALLERS },
    (_, index) => new PlannedCaller(`caller ${index + 1}`, services, recorder, board),
  );
  for (const group of planOf(new Random(SEED), { keys: KEYS, callers: CALLERS })) {
    await Promise.all(callers.map((caller, index) => caller.run(group[index] ?? [])));
  }
  const { directUrl: url, apiKey } = services;
  const last = new LedgerCaller({ name: LAST_LOOK, url, apiKey, recorder, disturbed: UNDISTURBED });
  await Promise.all([...histories.keys()].map((subject) => last.find({ subject, operation: OPERATION })));
});

afterAll(() => services.stop());

test(`what ${CALLERS} callers of two services were answered has one order for each of ${KEYS} actions (seed ${SEED})`, () => {
  const { keys, refusals } = recorder.check();
  expect(refusals.map(({ readable }) => readable).join('\n\n')).toBe('');
  expect(keys).toBe(KEYS);
});

test('the run was one that can go wrong: calls met each other, answers were lost, leases ended', () => {
  const calls = [...histories.values()].flat();
  expect(Math.min(...[...histories.values()].map(({ length }) => length))).toBeGreaterThanOrEqual(12);
  expect(calls.filter(({ answer }) => answer === 'maybe').length).toBeGreaterThan(calls.length / 20);
  expect([...histories.values()].filter(overlapping).length).toBeGreaterThan(KEYS / 2);
  const answers = new Set(calls.map(({ operation, answer }) => `${operation.kind} ${said(answer)}`));
  expect([...answers]).toEqual(
    expect.arrayContaining([
      'claim proceed',
      'claim in_progress',
      'claim unknown',
      'claim already_done',
      'receipt recorded',
      'receipt superseded',
      'receipt contradiction',
      'heartbeat extended',
      'heartbeat lost',
      'release released',
      'release not_applicable',
      'resolve resolved',
    ]),
  );
});

test('what nothing can explain would have been refused', () => {
  for (const calls of histories.values()) {
    for (const spoilt of [withAStaleLook(calls), withASecondHolder(calls)]) {
      if (spoilt !== null) expect(checkHistory(spoilt)).toMatchObject({ ok: false });
    }
  }
  const spoilt = [...histories.values()].filter(
    (calls) => withAStaleLook(calls) !== null && withASecondHolder(calls) !== null,
  );
  expect(spoilt.length).toBeGreaterThan(KEYS / 2);
});

const said = (answer: Call['answer']): string => {
  const { decision, result, state } = answer as { decision?: string; result?: string; state?: string };
  return decision ?? result ?? state ?? 'maybe';
};

const overlapping = (calls: readonly Call[]): boolean =>
  calls.some((one) =>
    calls.some((other) => other !== one && one.invoked < other.invoked && other.invoked < (one.returned ?? 0)),
  );

/** The last look shows what was only true before something that was acknowledged. */
function withAStaleLook(calls: readonly Call[]): Call[] | null {
  const looks = calls.filter(({ caller }) => caller === LAST_LOOK);
  const others = calls.filter(({ caller }) => caller !== LAST_LOOK);
  const rows = others.map(({ answer }) => (answer as { historySeq?: number }).historySeq ?? 0);
  const first = others[rows.indexOf(1)];
  if (first === undefined || Math.max(...rows) === 1) return null;
  const { state, attempt, historySeq } = first.answer as { state: string; attempt: number; historySeq: number };
  return [...others, ...looks.map((look) => ({ ...look, answer: { state, attempt, historySeq } }) as Call)];
}

/** Somebody else is given the answer of one who proceeds. */
function withASecondHolder(calls: readonly Call[]): Call[] | null {
  const granted = calls.find(({ operation, answer }) => {
    const { decision, replayed } = answer as { decision?: string; replayed?: boolean };
    return operation.kind === 'claim' && decision === 'proceed' && replayed === false;
  });
  if (granted?.operation.kind !== 'claim') return null;
  return [...calls, { ...granted, operation: { ...granted.operation, requestToken: 'of another call' } } as Call];
}
