import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Fault } from '../fault';
import { LedgerService } from '../servers/ledger-service';
import { PostgresServer } from '../servers/postgres-server';

/** The service dies in the middle of its batches: what it had decided and not answered is asked again. */
export const serviceKilled: Fault = {
  name: 'service-killed',
  title: 'ledger service: SIGKILL in mid-batch',
  injections: 50,
  prepare: async ({ folder, atEnd }) => {
    const postgres = await PostgresServer.start(path.join(folder, 'data'));
    atEnd(() => postgres.stop());
    const service = await LedgerService.start({ databaseUrl: postgres.url, folder });
    atEnd(() => service.stop());
    return {
      urls: [service.url],
      databaseUrl: postgres.url,
      inject: async ({ random }) => {
        await service.kill();
        await sleep(random.between(0, 300));
        await service.start();
      },
    };
  },
};
