import { request } from 'node:http';
import { type Read, RunningService } from './running-service';

let service: RunningService;

beforeAll(async () => {
  service = await RunningService.start();
});

afterAll(() => service.stop());

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const waitFor = (subject: string, waitMs: number): Promise<Read> =>
  service.post('/v1/claims', { waitMs, claims: [{ subject, operation: 'o' }] }).then(({ body }) => body.results[0]);

test('a waiting claim is answered as soon as the holder has ended', async () => {
  const { claimToken } = await service.claim({ subject: 'soon', operation: 'o' });
  const started = performance.now();
  const waiting = Promise.all([waitFor('soon', 20_000), waitFor('soon', 20_000)]);
  await pause(300);
  await service.receipt({ claimToken, outcome: 'confirmed', reference: 'R' });
  for (const answer of await waiting)
    expect(answer).toMatchObject({ decision: 'already_done', receipt: { reference: 'R' } });
  const took = performance.now() - started;
  expect(took).toBeGreaterThan(300);
  expect(took).toBeLessThan(3_000);
});

test('when the time is over it is told that the action is in progress', async () => {
  await service.claim({ subject: 'long', operation: 'o' });
  const started = performance.now();
  expect(await waitFor('long', 400)).toMatchObject({ decision: 'in_progress' });
  expect(performance.now() - started).toBeGreaterThan(390);
});

test('a caller that hangs up is waited for no longer', async () => {
  const { claimToken } = await service.claim({ subject: 'hung-up', operation: 'o' });
  const body = JSON.stringify({ waitMs: 30_000, claims: [{ subject: 'hung-up', operation: 'o' }] });
  const sending = request(`${service.url}/v1/claims`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
  });
  const ended = new Promise((resolve) => sending.once('error', resolve));
  sending.end(body);
  await pause(300);
  sending.destroy();
  await ended;
  await pause(100);
  // Nobody claims for it when the action is free again.
  await service.post('/v1/releases', { releases: [{ claimToken }] });
  await pause(500);
  const { body: found } = await service.get('/v1/actions?subject=hung-up');
  expect(found.actions).toMatchObject([{ state: 'pending', attempt: 1 }]);
});

test('the answer says how long it waited before it was decided, so that the lease does not look older than it is', async () => {
  const { claimToken } = await service.claim({ subject: 'granted-late', operation: 'o' });
  const started = performance.now();
  const waiting = service.post('/v1/claims', {
    waitMs: 20_000,
    claims: [{ subject: 'granted-late', operation: 'o' }],
  });
  await pause(500);
  await service.post('/v1/releases', { releases: [{ claimToken }] });
  const { body } = await waiting;
  expect(body.results[0]).toMatchObject({ decision: 'proceed', attempt: 2 });
  expect(body.waitedMs).toBeGreaterThan(300);
  expect(body.waitedMs).toBeLessThanOrEqual(performance.now() - started);
});

test('many claims that wait on one connection leave no listeners on it', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): number => warnings.push(name);
  process.on('warning', onWarning);
  for (let n = 0; n < 15; n++) {
    await service.post('/v1/claims', { waitMs: 50, claims: [{ subject: `connection-${n}`, operation: 'o' }] });
  }
  await pause(50);
  process.off('warning', onWarning);
  expect(warnings).not.toContain('MaxListenersExceededWarning');
});
