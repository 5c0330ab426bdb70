import { readFileSync } from 'node:fs';
import path from 'node:path';

import { type Fault } from '../fault';
import { AgedActions } from '../aged-actions';
import { LedgerService } from '../servers/ledger-service';
import { PostgresServer } from '../servers/postgres-server';

/** Three services, each with its sweep and its retention, meet the same leases and the same details at the same moment. */
export const twoSweepersAndRetention: Fault = {
  name: 'two-sweepers-and-retention',
  title: 'three services sweep leases and erase details at once',
  injections: 50,
  prepare: async (run) => {
    const { folder } = run;
    const postgres = await PostgresServer.start(path.join(folder, 'data'));
    run.atEnd(() => postgres.stop());
    const services: LedgerService[] = [];
    for (let count = 0; count < 3; count++) {
      const env = { ACTION_LEDGER_RETENTION_SECONDS: '1' };
      const service = await LedgerService.start({ databaseUrl: postgres.url, folder, env });
      run.atEnd(() => service.stop());
      services.push(service);
    }
    const urls = services.map(({ url }) => url);
    const aged = await AgedActions.open(postgres.url, urls);
    run.atEnd(() => aged.close());
    return {
      urls,
      databaseUrl: postgres.url,
      inject: async ({ number, random, load }) => {
        const wrong = [
          ...(await aged.comeOfAge(`aged-${number}`, random)),
          ...(await aged.deadlocks()),
          ...services.flatMap(complaints),
        ];
        load.journal.surprises.push(...wrong);
      },
      notes: () => [aged.note],
    };
  },
};

/** Nothing that the services meet here is worth a line in their logs. */
function complaints({ logFile }: LedgerService): string[] {
  return readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => /^\{.*"level":"(warn|error|fatal)"/.test(line))
    .map((line) => `a service logged: ${line}`);
}
