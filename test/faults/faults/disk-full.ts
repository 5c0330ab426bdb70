import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';

import { Client } from 'pg';

import { type Fault } from '../fault';
import { PatientCallers } from '../patient-callers';
import { FullDisk } from '../servers/full-disk';
import { LedgerService } from '../servers/ledger-service';
import { PostgresServer } from '../servers/postgres-server';
import { SpaceWitness } from '../servers/space-witness';

/** Enough for the data of a whole run and its WAL, which is kept small. */
const DISK_MB = 700;
const WAL_MB = 64;

/** How long it stays full, in milliseconds, from and to: mostly shorter, now and then longer than the service is patient. */
const SHORT = [0, 800] as const;
const LONG = [5_500, 7_000] as const;

/** PostgreSQL's disk is full under load: it refuses to write, or ends, and cannot start again before there is room. */
export const diskFull: Fault = {
  name: 'disk-full',
  title: 'PostgreSQL’s disk is full, then freed',
  injections: 50,
  needs: ['root'],
  prepare: async ({ folder, atEnd }) => {
    const disk = FullDisk.mount(path.join(folder, 'disk'), DISK_MB);
    atEnd(disk.unmount);
    const postgres = await PostgresServer.start(path.join(disk.folder, 'data'));
    atEnd(() => postgres.stop());
    await keepWalSmall(postgres.url);
    const witness = new SpaceWitness(postgres.url);
    await witness.prepare();
    const service = await LedgerService.start({ databaseUrl: postgres.url, folder });
    atEnd(() => service.stop());
    const callers = new PatientCallers({ url: service.url });
    atEnd(() => callers.stop());
    const refusals = new Map<string, number>();
    return {
      urls: [service.url],
      databaseUrl: postgres.url,
      inject: async ({ number, random }) => {
        disk.fill();
        try {
          const refusal = await witness.writeUntilRefused(number % 2 === 0 ? 'write-ahead log' : 'tables');
          refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
          // What a checkpoint or a server that ended gave back is taken, too.
          disk.fill();
          const [least, most] = number % 10 === 5 ? LONG : SHORT;
          await sleep(random.between(least, most));
        } finally {
          disk.free();
        }
        await postgres.ready();
        await callers.recovered();
        await witness.tidyUp();
      },
      notes: () => [
        `PostgreSQL’s refusals: ${[...refusals].map(([refusal, times]) => `${times} × ${refusal}`).join(', ')}`,
        callers.note,
      ],
    };
  },
};

async function keepWalSmall(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`ALTER SYSTEM SET max_wal_size = '${WAL_MB}MB'`);
  await client.query(`ALTER SYSTEM SET min_wal_size = '${WAL_MB / 2}MB'`);
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}
