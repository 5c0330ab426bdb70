import { randomUUID } from 'node:crypto';

import { type ClaimAnswer } from '../../../ledger-service/src/domain/answers';
import { Ledger } from '../../../ledger-service/src/store/ledger';
import { Story } from '../domain/story';
import { lossyProxy, type LossyProxy } from './lossy-proxy';
import { openLedger, type OpenLedger } from './open-ledger';

jest.setTimeout(30_000);

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

/** A ledger whose way to the database can lose answers. */
interface Behind {
  proxy: LossyProxy;
  behind: Ledger;
  /** The statement is carried out and its answer lost, as often as the ledger tries; at the end it is out of patience. */
  losing: (work: () => Promise<unknown>) => Promise<unknown>;
}

const throughProxy = (name: string, run: (way: Behind) => Promise<void>): void =>
  test.concurrent(name, async () => {
    const proxy = await lossyProxy(open.url);
    const behind = new Ledger({ databaseUrl: proxy.url });
    const losing = async (work: () => Promise<unknown>): Promise<unknown> => {
      proxy.loseAnswers();
      const result = await work().catch((error: unknown) => error);
      expect(proxy.cut).toBeGreaterThan(0);
      proxy.mend();
      return result;
    };
    try {
      // The operation is known from now on, so that the next claim is a single statement.
      await behind.claim(open.workspaceNo, { claims: [{ subject: 'known', operation: 'reserve-seat' }] });
      await run({ proxy, behind, losing });
    } finally {
      await behind.stop();
      await proxy.close();
    }
  });

throughProxy(
  'a claim whose answer was lost after commit: the same call is told the same, everybody else in progress',
  async ({ behind, losing }) => {
    const story = new Story(open);
    const call = { requestToken: randomUUID(), claims: [story.key] };
    expect(await losing(() => behind.claim(open.workspaceNo, call))).toMatchObject({
      code: 'ledger_unavailable',
      status: 503,
      hint: expect.stringContaining('same request token'),
    });
    const { rows } = await open.sql.query<{ attempt: number; state: number; history_seq: number; id: string }>(
      'SELECT id, attempt, state, history_seq FROM action_ledger.actions WHERE subject = $1',
      [story.subject],
    );
    expect(rows).toMatchObject([{ attempt: 1, state: 2, history_seq: 1 }]);

    expect(await story.ask()).toMatchObject({ decision: 'in_progress', claimToken: null, idempotencyKey: null });
    const [other] = (await behind.claim(open.workspaceNo, { ...call, requestToken: randomUUID() })) as ClaimAnswer[];
    expect(other).toMatchObject({ decision: 'in_progress', claimToken: null });

    const [replayed] = (await open.ledger.claim(open.workspaceNo, call)) as ClaimAnswer[];
    expect(replayed).toMatchObject({ decision: 'proceed', replayed: true, attempt: 1, claimToken: expect.any(String) });
    // The token is a real one.
    expect(
      await open.ledger.receipts(open.workspaceNo, [{ claimToken: replayed!.claimToken!, outcome: 'confirmed' }]),
    ).toMatchObject([{ result: 'recorded', state: 'confirmed' }]);
  },
);

throughProxy(
  'a claim whose answer is lost once is tried again by the ledger itself, and proceeds once',
  async ({ proxy, behind }) => {
    const story = new Story(open);
    proxy.loseAnswers();
    const mended = setTimeout(() => proxy.mend(), 300);
    const [answer] = (await behind.claim(open.workspaceNo, { claims: [story.key] })) as ClaimAnswer[];
    clearTimeout(mended);
    expect(answer).toMatchObject({ decision: 'proceed', attempt: 1, historySeq: 1, replayed: true });
  },
);

throughProxy('a receipt whose answer was lost is recorded once', async ({ behind, losing }) => {
  const story = new Story(open);
  await story.claim();
  const receipt = { claimToken: story.current.claimToken, outcome: 'confirmed' as const, reference: 'RSV-1' };
  // The ledger asks again by itself and finds it recorded; that is no proof before a commit was acknowledged.
  expect(await losing(() => behind.receipts(open.workspaceNo, [receipt]))).toMatchObject({
    code: 'ledger_unavailable',
  });
  expect(await open.ledger.receipts(open.workspaceNo, [receipt])).toMatchObject([
    { result: 'recorded', replayed: true, state: 'confirmed' },
  ]);
  expect((await story.stored())?.historySeq).toBe(2);
});

throughProxy('a release whose answer was lost frees the action once', async ({ behind, losing }) => {
  const story = new Story(open);
  await story.claim();
  const release = { claimToken: story.current.claimToken };
  expect(await losing(() => behind.releases(open.workspaceNo, [release]))).toMatchObject({
    code: 'ledger_unavailable',
  });
  expect(await open.ledger.releases(open.workspaceNo, [release])).toMatchObject([
    { result: 'released', replayed: true, state: 'pending' },
  ]);
  // Whoever claims it then is not freed by it.
  await story.claim();
  expect(await open.ledger.releases(open.workspaceNo, [release])).toMatchObject([{ result: 'not_applicable' }]);
});

throughProxy('a resolution whose answer was lost is not judged stale by its own effect', async ({ behind, losing }) => {
  const story = new Story(open);
  await story.claim();
  await story.crash();
  const fence = await story.fence();
  const resolution = { outcome: 'happened' as const, reference: 'RSV-1', ...fence };
  expect(await losing(() => behind.resolve(open.workspaceNo, story.id, resolution, 'tests'))).toMatchObject({
    code: 'ledger_unavailable',
  });
  expect((await story.stored())?.history.map(({ kind }) => kind)).toEqual(['claimed', 'abandoned', 'reconciled']);
});

test.concurrent('a notice at the commit is no acknowledgement', async () => {
  // What a cancelled wait for a synchronous standby looks like to the client: success, and a warning.
  await open.sql.query(`
    CREATE FUNCTION public.warn() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication due to user request'; RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON action_ledger.actions DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.subject = 'not-acknowledged') EXECUTE FUNCTION public.warn()`);
  const call = { requestToken: randomUUID(), claims: [{ subject: 'not-acknowledged', operation: 'reserve-seat' }] };
  // It is tried again, finds its own claim, and only then does it say proceed: that commit was acknowledged.
  const [answer] = (await open.ledger.claim(open.workspaceNo, call)) as ClaimAnswer[];
  expect(answer).toMatchObject({ decision: 'proceed', attempt: 1, replayed: true });
});
