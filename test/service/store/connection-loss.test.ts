import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

import { type ClaimAnswer } from '../../../ledger-service/src/domain/answers';
import { Problem } from '../../../ledger-service/src/domain/problem';
import { openLedger, type OpenLedger } from './open-ledger';

jest.setTimeout(120_000);

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

const OURS = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'action-ledger'`;

/** Answers how many there were; they are told, and may still be there for a moment. */
const endBackends = async ({ sql }: OpenLedger): Promise<number> =>
  (await sql.query(`SELECT pg_terminate_backend(pid) ${OURS}`)).rows.length;

/** So many answers, and so often were the connections ended meanwhile. */
const ANSWERS = 1_500;
const ENDS = 10;

interface Granted {
  call: string;
  answer: ClaimAnswer;
}

test.concurrent(
  'connections are ended under load: every caller is answered, and no key proceeds for two calls',
  async () => {
    const ledgers = [open.another(), open.another()];
    const granted: Granted[] = [];
    let answered = 0;
    let refused = 0;
    let ends = 0;
    const enough = (): boolean => answered >= ANSWERS && ends >= ENDS;
    const terminator = (async () => {
      while (!enough()) {
        const before = answered;
        if ((await endBackends(open)) > 0) ends++;
        // A busy machine needs longer than this to make a connection and be answered on it.
        do await sleep(30 + Math.random() * 120);
        while (answered === before);
      }
    })();
    await Promise.all(
      Array.from({ length: 24 }, async (_, caller) => {
        for (let round = 0; !enough(); round++) {
          const requestToken = randomUUID();
          const claims = Array.from({ length: 5 }, (_unused, index) => ({
            subject: `order-${round}-${(index + caller) % 12}`,
            operation: 'book',
          }));
          // A caller that is told that the ledger could not decide asks again, as the same call.
          for (let tries = 0; tries < 3; tries++) {
            const ledger = ledgers[(caller + tries) % 2]!;
            const result = await ledger
              .claim(open.workspaceNo, { requestToken, claims })
              .catch((error: unknown) => error as Error);
            if (result instanceof Error) {
              expect(result).toMatchObject({ code: 'ledger_unavailable', status: 503 });
              refused++;
              continue;
            }
            for (const answer of result) {
              if (answer instanceof Problem) throw answer;
              answered++;
              if (answer.decision === 'proceed') granted.push({ call: requestToken, answer });
              else expect(answer.decision).toBe('in_progress');
            }
            break;
          }
        }
      }),
    );
    await terminator;

    const calls = new Map<string, Set<string>>();
    for (const { call, answer } of granted) {
      calls.set(answer.actionKey, (calls.get(answer.actionKey) ?? new Set()).add(`${call} ${answer.claimToken}`));
    }
    expect([...calls.values()].filter((one) => one.size > 1)).toEqual([]);
    // Keys of which no caller got an answer that says proceed: only those of calls that were refused to the end.
    const { rows } = await open.sql.query<{ subject: string; attempt: number; history_seq: number }>(
      'SELECT subject, attempt, history_seq FROM action_ledger.actions',
    );
    expect(rows.every(({ attempt, history_seq: seq }) => attempt === 1 && seq === 1)).toBe(true);
    const unheard = rows.filter(({ subject }) => !calls.has(`default:${subject}:book`));
    expect(unheard.length).toBeLessThanOrEqual(refused * 5);
  },
);

test('afterwards the ledger goes on by itself', async () => {
  await endBackends(open);
  expect(
    await open.ledger.claim(open.workspaceNo, { claims: [{ subject: 'after', operation: 'book' }] }),
  ).toMatchObject([{ decision: 'proceed' }]);
});

test.concurrent(
  'a database that takes no connections: every caller is told so within its patience, and nothing proceeds',
  async () => {
    const open = await openLedger();
    const ledger = open.another();
    await ledger.claim(open.workspaceNo, { claims: [{ subject: 'known', operation: 'book' }] });
    const name = new URL(open.url).pathname.slice(1);
    // Said from another database; the server refuses it for the one that is spoken to.
    const server = new Client({ connectionString: process.env['TEST_DATABASE_URL'] });
    await server.connect();
    await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    try {
      while ((await endBackends(open)) > 0) await sleep(20);
      const began = performance.now();
      const results = await Promise.allSettled(
        Array.from({ length: 40 }, (_, index) =>
          ledger.claim(open.workspaceNo, { claims: [{ subject: `away-${index}`, operation: 'book' }] }),
        ),
      );
      expect(performance.now() - began).toBeLessThan(15_000);
      for (const result of results) {
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'ledger_unavailable', status: 503 } });
      }
    } finally {
      await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await server.end();
    }
    const { rows } = await open.sql.query(`SELECT FROM action_ledger.actions WHERE subject LIKE 'away-%'`);
    expect(rows).toEqual([]);
    expect(await ledger.claim(open.workspaceNo, { claims: [{ subject: 'away-1', operation: 'book' }] })).toMatchObject([
      { decision: 'proceed', attempt: 1 },
    ]);
    await open.close();
  },
);
