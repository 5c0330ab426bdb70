import { Retention } from '../../../ledger-service/src/store/retention';
import { detailsRetention } from '../../../ledger-service/src/workers/details-retention';
import { until } from '../../e2e/stack/until';
import { DETAILS } from '../domain/story';
import { openLedger, type OpenLedger } from '../store/open-ledger';
import { age, detailsLeft, tombstones } from './aged-details';

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
  await open.configure('book', { detailsRetentionDays: 1 });
});
afterAll(() => open.close());

const subjects = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);

/** Two rows of details each. */
async function confirmed(names: readonly string[]): Promise<void> {
  const answers = await open.ledger.claim(open.workspaceNo, {
    claims: names.map((subject) => ({ subject, operation: 'book', details: DETAILS })),
  });
  await open.ledger.receipts(
    open.workspaceNo,
    answers.map((answer) => ({
      claimToken: (answer as { claimToken: string }).claimToken,
      outcome: 'confirmed' as const,
      evidence: { status: 201 },
    })),
  );
}

interface Job {
  worker: ReturnType<typeof detailsRetention>;
  erased: () => number;
  lines: { level: string; message: string; facts: object }[];
}

function job(retention: Pick<Retention, 'operations' | 'erasePage'> = open.another().retention): Job {
  const lines: Job['lines'] = [];
  let erased = 0;
  const at =
    (level: string) =>
    (facts: object, message: string): void =>
      void lines.push({ level, message, facts });
  const worker = detailsRetention(retention, {
    everyMs: 20,
    log: { info: at('info'), warn: at('warn') },
    onErased: (rows) => (erased += rows),
  });
  return { worker, erased: () => erased, lines };
}

test('three jobs at once erase each row once and all between them, beside claims, and none fails', async () => {
  const old = subjects('old', 1_500);
  await confirmed(old);
  await age(open, 2);
  await confirmed(subjects('young', 300));
  const before = await tombstones(open);
  const jobs = [job(), job(), job()];
  for (const { worker } of jobs) worker.start();
  await until(async () => Object.keys(await detailsLeft(open)).every((subject) => subject.startsWith('young')), {
    what: 'the old details to be erased',
  });
  expect(await tombstones(open)).toBe(before);
  await confirmed(subjects('beside', 300));
  await Promise.all(jobs.map(({ worker }) => worker.stop()));
  expect(jobs.reduce((sum, { erased }) => sum + erased(), 0)).toBe(3_000);
  expect(Object.values(await detailsLeft(open)).reduce((sum, count) => sum + count, 0)).toBe(1_200);
  expect(jobs.flatMap(({ lines }) => lines).filter(({ level }) => level === 'warn')).toEqual([]);
  // Each pass that erased anything says so once.
  const said = jobs.flatMap(({ lines }) => lines.map(({ facts }) => (facts as { erased: number }).erased));
  expect(said.reduce((sum, count) => sum + count, 0)).toBe(3_000);
});

test('what another transaction holds is left to it, and nobody waits', async () => {
  await confirmed(subjects('locked', 3));
  await age(open, 2, subjects('locked', 3));
  const other = await open.sql.connect();
  await other.query('BEGIN');
  await other.query(
    `SELECT FROM action_ledger.history_details d JOIN action_ledger.actions a ON a.no = d.action_no
     WHERE a.subject IN ('locked-0', 'locked-1') FOR UPDATE OF d`,
  );
  const [operation] = await open.ledger.retention.operations();
  expect(await open.ledger.retention.erasePage(operation!, 100)).toEqual({ erased: 2, kept: 0, next: null });
  await other.query('ROLLBACK');
  other.release();
  expect(await open.ledger.retention.erasePage(operation!, 100)).toEqual({ erased: 4, kept: 0, next: null });
});

test('a pass that fails is said once, and the next one begins anew', async () => {
  await confirmed(subjects('again', 2));
  await age(open, 2, subjects('again', 2));
  let fails = 3;
  const { retention } = open.ledger;
  const { worker, lines } = job({
    operations: () => retention.operations(),
    erasePage: (...page) => (fails-- > 0 ? Promise.reject(new Error('away')) : retention.erasePage(...page)),
  });
  worker.start();
  await until(() => lines.some(({ message }) => message.startsWith('Details were erased')), {
    what: 'the job to succeed',
  });
  await worker.stop();
  expect(lines.map(({ level }) => level)).toEqual(['warn', 'info', 'info']);
  expect((await detailsLeft(open))['again-0']).toBeUndefined();
});
