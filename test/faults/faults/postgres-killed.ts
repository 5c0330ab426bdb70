import path from 'node:path';

import { type Fault } from '../fault';
import { LedgerService } from '../servers/ledger-service';
import { PostgresServer } from '../servers/postgres-server';

/** PostgreSQL crashes, or is shut down, and comes back; the service stays and finds it again. */
export const postgresKilled: Fault = {
  name: 'postgres-killed',
  title: 'PostgreSQL: SIGKILL, SIGQUIT, fast shutdown',
  injections: 60,
  prepare: async ({ folder, atEnd }) => {
    const postgres = await PostgresServer.start(path.join(folder, 'data'));
    atEnd(() => postgres.stop());
    const service = await LedgerService.start({ databaseUrl: postgres.url, folder });
    atEnd(() => service.stop());
    return {
      urls: [service.url],
      databaseUrl: postgres.url,
      inject: async ({ random }) => {
        postgres.kill(random.pick(['SIGKILL', 'SIGKILL', 'SIGQUIT', 'SIGINT']));
        await postgres.ready();
      },
    };
  },
};
