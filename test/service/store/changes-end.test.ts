import { setTimeout as sleep } from 'node:timers/promises';

import { Changes } from '../../../ledger-service/src/store/changes';
import { createTestDatabase } from '../../setup/database';

// A service that is told to end while it is still connecting for notifications must end.

let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

test.each([0, 1, 3, 10, 100])('ends %i ms after it began', async (ms) => {
  const changes = new Changes({
    directUrl: database.url,
    notify: () => Promise.reject(new Error('There is no other connection')),
    ledgerId: () => Promise.resolve('none'),
  });
  changes.start();
  await sleep(ms);
  await expect(Promise.race([changes.stop().then(() => 'ended'), sleep(5_000, 'hangs')])).resolves.toBe('ended');
});
