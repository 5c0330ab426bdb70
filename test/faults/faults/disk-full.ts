import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';

import { Client } from 'pg';

import { type Fault } from '../fault';
import { PatientCallers } from '../patient-callers';
import { FullDisk } from '../servers/full-disk';
import { LedgerService } from '../servers/ledger-service';
import { PostgresServer } from '../servers/postgres-server';

/** Enough for the data of a whole run and its WAL, which is kept small. */
const DISK_MB = 700;
const WAL_MB = 64;

/** How long callers are waited for to be refused, in milliseconds: a WAL segment may still have room for a while. */
const UNTIL_REFUSED_MS = 4_000;

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
    const service = await LedgerService.start({ databaseUrl: postgres.url, folder });
    atEnd(() => service.stop());
    const callers = new PatientCallers({ url: service.url });
    atEnd(() => callers.stop());
    let ended = 0;
    return {
      urls: [service.url],
      databaseUrl: postgres.url,
      inject: async ({ random }) => {
        const [{ pid }, { putOff }] = [postgres, callers];
        disk.fill();
        const until = performance.now() + UNTIL_REFUSED_MS;
        while (callers.putOff === putOff && performance.now() < until) {
          await sleep(50);
          // What a checkpoint or a recycled segment gave back is taken, too.
          disk.fill();
        }
        await sleep(random.between(0, 500));
        disk.free();
        await postgres.ready();
        if (postgres.pid !== pid) ended++;
        await callers.recovered();
      },
      notes: () => [`PostgreSQL ended ${ended} times for want of space`, callers.note],
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
