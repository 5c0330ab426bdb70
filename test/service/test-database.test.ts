import { Client } from 'pg';
import { createTestDatabase } from '../setup/database';

test('each test database is a new one on a PostgreSQL that syncs what it commits', async () => {
  const [first, second] = [await createTestDatabase(), await createTestDatabase()];
  const client = new Client({ connectionString: first.url });
  await client.connect();
  try {
    await client.query('CREATE TABLE only_here (id int)');
    const { rows } = await client.query<{ fsync: string }>("SELECT current_setting('fsync') AS fsync");
    expect(rows).toEqual([{ fsync: 'on' }]);
  } finally {
    await client.end();
  }
  const other = new Client({ connectionString: second.url });
  await other.connect();
  try {
    await expect(other.query('SELECT * FROM only_here')).rejects.toThrow('does not exist');
  } finally {
    await other.end();
    await Promise.all([first.drop(), second.drop()]);
  }
});
