import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../ledger-service/src/store/embedded/start-embedded-postgres';
import { createServerFolder } from '../../setup/temp-folder';
import { type Answer, RunningService } from './running-service';

// PostgreSQL goes away and comes back while many callers claim and record receipts. The service is not restarted.

let folder: string;
let server: EmbeddedPostgres;
let service: RunningService;

beforeAll(async () => {
  folder = createServerFolder();
  server = await startEmbeddedPostgres({ dataDir: folder, init: true, log: () => undefined });
  service = await RunningService.start(server.url);
}, 30_000);

afterAll(async () => {
  await service.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const CALLERS = 24;

/** One caller: claims and confirms one action after the other; asks again with the same request token after a 503. */
async function caller(
  name: string,
  until: () => boolean,
  seen: Record<number, number>,
): Promise<{ subject: string; attempt: number }[]> {
  const done: { subject: string; attempt: number }[] = [];
  const ask = async (url: string, body: object): Promise<Answer> => {
    for (;;) {
      const answer = await service.post(url, body);
      seen[answer.status] = (seen[answer.status] ?? 0) + 1;
      if (answer.status !== 503) return answer;
      expect(answer.headers['retry-after']).toBe('1');
      await pause(50);
    }
  };
  for (let turn = 0; !until(); turn++) {
    const subject = `${name}-${turn}`;
    const claimed = await ask('/v1/claims', { requestToken: subject, claims: [{ subject, operation: 'restart' }] });
    const [{ decision, claimToken, attempt }] = claimed.body.results;
    // The answer may have been lost after it was decided; the same call then gets it again, and never another decision.
    expect({ subject, decision }).toEqual({ subject, decision: 'proceed' });
    const receipt = await ask('/v1/receipts', { receipts: [{ claimToken, outcome: 'confirmed', reference: subject }] });
    expect(receipt.body.results[0]).toMatchObject({ result: 'recorded', state: 'confirmed' });
    done.push({ subject, attempt });
  }
  return done;
}

test.each([
  ['shut down in order', 'SIGINT'],
  ['crashed', 'SIGQUIT'],
] as const)(
  'a PostgreSQL that is %s: every caller is answered, and nothing is lost or done twice',
  async (_what, signal) => {
    const seen: Record<number, number> = {};
    let ending = false;
    const callers = Array.from({ length: CALLERS }, (_, index) => caller(`${signal}-${index}`, () => ending, seen));
    const all = Promise.all(callers);
    await pause(1_000);
    const answeredBefore = seen[200] ?? 0;
    process.kill(Number(readFileSync(path.join(folder, 'postgresql/postmaster.pid'), 'utf8').split('\n')[0]), signal);
    await pause(300);
    for (let tries = 0; (await service.get('/readyz')).status !== 200; tries++) {
      expect(tries).toBeLessThan(200);
      await pause(100);
    }
    const answeredWhileAway = seen[200] ?? 0;
    await pause(1_500);
    ending = true;
    const done = (await all).flat();

    expect(Object.keys(seen).every((status) => status === '200' || status === '503')).toBe(true);
    expect(answeredBefore).toBeGreaterThan(0);
    expect(seen[200]).toBeGreaterThan(answeredWhileAway);
    const [counts] = await stored(signal);
    expect(counts).toEqual({ actions: done.length, confirmed: done.length, granted: done.length });
  },
  90_000,
);

test('while PostgreSQL stays away, every call is a 503 in good time that says what to do; then all goes on', async () => {
  const { claimToken } = await service.claim({ subject: 'away', operation: 'restart' });
  await server.stop();
  const started = performance.now();
  const answers = await Promise.all([
    service.post('/v1/claims', { claims: [{ subject: 'away-2', operation: 'restart' }] }),
    service.post('/v1/receipts', { receipts: [{ claimToken, outcome: 'confirmed' }] }),
    service.get('/v1/actions?subject=away'),
    service.get('/v1/whoami', { key: 'al_not_seen_before' }),
    service.get('/readyz'),
  ]);
  expect(performance.now() - started).toBeLessThan(10_000);
  for (const { status, body, headers } of answers) {
    expect({ status, code: body.code, retryAfter: headers['retry-after'] }).toEqual({
      status: 503,
      code: 'ledger_unavailable',
      retryAfter: '1',
    });
  }
  expect((await service.get('/healthz')).status).toBe(200);
  expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/^action_ledger_up 0$/m);

  server = await startEmbeddedPostgres({
    dataDir: folder,
    init: false,
    port: Number(new URL(server.url).port),
    log: () => undefined,
  });
  const receipt = await service.receipt({ claimToken, outcome: 'confirmed', reference: 'R' });
  expect(receipt).toMatchObject({ result: 'recorded', state: 'confirmed' });
  expect((await service.get('/readyz')).status).toBe(200);
}, 60_000);

/** What became of the callers' actions: how many there are, how many are confirmed, how often one was granted. */
async function stored(prefix: string): Promise<object[]> {
  const { rows } = await service.ledger.database.query(
    `SELECT count(*)::int AS actions, count(*) FILTER (WHERE state = 3)::int AS confirmed, sum(attempt)::int AS granted
     FROM action_ledger.actions WHERE subject LIKE $1`,
    [`${prefix}-%`],
  );
  return rows;
}
