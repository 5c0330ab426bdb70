import { DEFAULT_POLICY } from '../../../ledger-service/src/domain/policy';
import { RunningService } from './running-service';

let service: RunningService;

const namesOf = ({ operations }: { operations: { name: string }[] }): string[] => operations.map(({ name }) => name);

beforeAll(async () => {
  service = await RunningService.start();
});

afterAll(() => service.stop());

test('an operation that nobody has named is shown with the defaults, and not made by looking', async () => {
  const before = await service.contents();
  const { body } = await service.get('/v1/operations/never%20named');
  expect(body).toEqual({ name: 'never named', configured: false, revision: 1, ...DEFAULT_POLICY });
  expect(await service.contents()).toBe(before);
});

test('it is set at first without a revision, later only with the present one; a conflict names both values', async () => {
  const url = '/v1/operations/set';
  const first = await service.put(url, { leaseSeconds: 60, owner: 'bookings' });
  expect(first.body).toEqual({
    name: 'set',
    ...DEFAULT_POLICY,
    configured: true,
    revision: 2,
    leaseSeconds: 60,
    owner: 'bookings',
  });
  expect((await service.put(url, { leaseSeconds: 60 })).body).toEqual(first.body);
  const conflict = await service.put(url, { leaseSeconds: 90, owner: 'bookings' });
  expect(conflict).toMatchObject({
    status: 409,
    body: {
      code: 'policy_conflict',
      field: 'leaseSeconds',
      revision: 2,
      conflicts: [{ field: 'leaseSeconds', current: 60, given: 90 }],
    },
  });
  expect(await service.put(url, { leaseSeconds: 90, revision: 1 })).toMatchObject({ status: 409 });
  expect((await service.put(url, { leaseSeconds: 90, revision: 2 })).body).toMatchObject({
    leaseSeconds: 90,
    owner: 'bookings',
    revision: 3,
  });
  expect(await service.claim({ subject: 's', operation: 'set' })).toMatchObject({
    leaseMs: 90_000,
    operationConfigured: true,
  });
});

test('settings that do not fit together are refused', async () => {
  const answer = await service.put('/v1/operations/repeat', { safeRepeat: true });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_policy', field: 'destinationIdempotency' } });
  const without = await service.put('/v1/operations/repeat', { safeRepeat: true, destinationIdempotency: 'key' });
  expect(without).toMatchObject({ status: 400, body: { code: 'invalid_policy', field: 'destinationWindowSeconds' } });
  expect(
    (
      await service.put('/v1/operations/repeat', {
        safeRepeat: true,
        destinationIdempotency: 'key',
        destinationWindowSeconds: 3600,
      })
    ).status,
  ).toBe(200);
});

test('of two who set it for the first time at once, one wins and the other is told', async () => {
  const answers = await Promise.all(
    [10, 20, 30, 40].map((leaseSeconds) => service.put('/v1/operations/raced', { leaseSeconds })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
});

test('the list is searched by name and description and goes on in pages', async () => {
  const names = Array.from({ length: 120 }, (_, index) => `many-${String(index).padStart(3, '0')}`);
  await service.post('/v1/claims', { claims: names.map((operation) => ({ subject: 's', operation })) });
  const first = await service.get('/v1/operations?search=MANY-');
  expect(namesOf(first.body)).toEqual(names.slice(0, 100));
  const second = await service.get(`/v1/operations?search=MANY-&cursor=${first.body.nextCursor}`);
  expect(namesOf(second.body)).toEqual(names.slice(100));
  expect(second.body.nextCursor).toBeNull();
  await service.put('/v1/operations/described', { description: 'Books a SEAT in the workshop' });
  expect((await service.get('/v1/operations?search=seat')).body.operations).toMatchObject([{ name: 'described' }]);
  const another = await service.newKey(['read'], { workspace: 'another' });
  expect((await service.get('/v1/operations', { key: another })).body.operations).toEqual([]);
});
