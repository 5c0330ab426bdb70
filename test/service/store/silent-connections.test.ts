import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ClaimAnswer } from '../../../ledger-service/src/domain/answers';
import { type Problem } from '../../../ledger-service/src/domain/problem';
import { Ledger } from '../../../ledger-service/src/store/ledger';
import { LEDGER_WRITES_WITHOUT_SYNC } from '../../faults/servers/ledger-messages';
import { TcpProxy } from '../../faults/servers/tcp-proxy';
import { openLedger, type OpenLedger } from './open-ledger';

jest.setTimeout(90_000);

/** The service waits 5 s for a statement, and PostgreSQL 10 s for the rest of one. A busy machine takes longer for all. */
const BOUND_MS = 20_000;

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

interface Way {
  proxy: TcpProxy;
  ledger: Ledger;
  /** Asks once. */
  claim: (subject: string, requestToken?: string) => Promise<ClaimAnswer | Problem>;
}

const throughProxy = (name: string, run: (way: Way) => Promise<void>): void =>
  test.concurrent(name, async () => {
    const proxy = await TcpProxy.before(open.url);
    const ledger = new Ledger({ databaseUrl: proxy.through(open.url) });
    const claim: Way['claim'] = async (subject, requestToken = randomUUID()) => {
      const call = { requestToken, claims: [{ subject, operation: 'silence' }] };
      const results = await ledger.claim(open.workspaceNo, call).catch((error: unknown) => [error as Problem]);
      return results[0]!;
    };
    try {
      await run({ proxy, ledger, claim });
    } finally {
      await ledger.stop();
      await proxy.stop();
    }
  });

/** Asks again, as the same call, until it is decided; answers how long that took, in milliseconds. */
async function untilDecided({ claim }: Way, subject: string): Promise<number> {
  const began = performance.now();
  const token = randomUUID();
  for (;;) {
    const answer = await claim(subject, token);
    if ('decision' in answer) return performance.now() - began;
    expect(answer).toMatchObject({ code: 'ledger_unavailable' });
    if (performance.now() - began > 3 * BOUND_MS) throw new Error('It is never decided again');
    await sleep(50);
  }
}

throughProxy('all connections fall silent: callers are put off, and the ledger decides on new ones', async (way) => {
  // As many connections as the pool holds, so that many idle ones are silent.
  await Promise.all(Array.from({ length: 10 }, () => way.ledger.database.query('SELECT pg_sleep(0.3)')));
  expect(way.proxy.count).toBe(10);
  way.proxy.break({ how: 'half_open' });
  const began = performance.now();
  const first = await way.claim('put-off');
  expect(first).toMatchObject({ code: 'ledger_unavailable', status: 503 });
  expect(performance.now() - began).toBeLessThan(BOUND_MS);
  expect(await untilDecided(way, 'decided-again')).toBeLessThan(BOUND_MS);
  // None of the ten is used any more: each would cost somebody the same wait again.
  const after = performance.now();
  await Promise.all(Array.from({ length: 10 }, () => way.ledger.database.query('SELECT 1')));
  expect(performance.now() - after).toBeLessThan(4_000);
});

throughProxy('a statement whose end never reached PostgreSQL does not lock its action for ever', async (way) => {
  expect(await way.claim('first')).toMatchObject({ decision: 'proceed' });
  way.proxy.withhold({ ...LEDGER_WRITES_WITHOUT_SYNC, how: 'silent' });
  expect(await way.claim('locked')).toMatchObject({ code: 'ledger_unavailable' });
  expect(await untilDecided(way, 'locked')).toBeLessThan(BOUND_MS);
});

throughProxy('a ledger whose connections are silent ends', async ({ proxy, ledger, claim }) => {
  expect(await claim('last')).toMatchObject({ decision: 'proceed' });
  ledger.start();
  await sleep(200);
  proxy.break({ how: 'half_open' });
  const ended = await Promise.race([ledger.database.end().then(() => 'ended'), sleep(10_000, 'hangs')]);
  expect(ended).toBe('ended');
  // The proxy was told: the sockets are closed, not forgotten.
  ledger.database.end = () => Promise.resolve();
});
