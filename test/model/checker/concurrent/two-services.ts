import { setTimeout as sleep } from 'node:timers/promises';
import { type FastifyInstance } from 'fastify';
import { pino } from 'pino';

import { buildApp } from '../../../../ledger-service/src/http/app';
import { SCOPES } from '../../../../ledger-service/src/store/api-keys';
import { Ledger } from '../../../../ledger-service/src/store/ledger';
import { migrate } from '../../../../ledger-service/src/store/migrate';
import { createTestDatabase } from '../../../setup/database';
import { breakableWay, type BreakableWay, type Losses } from './breakable-way';
import { LOSE_THE_ANSWER } from './ledger-caller';
import { type Trouble } from './plan';

/** Two services on one PostgreSQL, one of them behind a way to it that breaks, and both behind ways that callers lose answers on. */
export interface TwoServices {
  /** By way of the proxies. */
  readonly urls: readonly string[];
  /** Without anything in between. */
  readonly directUrl: string;
  readonly apiKey: string;
  make(trouble: Trouble): void;
  stop(): Promise<void>;
}

export async function twoServices(): Promise<TwoServices> {
  const database = await createTestDatabase();
  const toDatabase = await breakableWay(database.url, WRITES);
  const steady = await serve(database.url);
  const shaken = await serve(toDatabase.through(database.url));
  const { secret } = await steady.ledger.apiKeys.create({ name: 'callers', workspace: 'default', scopes: SCOPES });
  const ways = await Promise.all([steady, shaken].map(losingAnswers));
  const sweeping = sweep(steady.ledger);
  return {
    urls: ways.map(({ url }) => url),
    directUrl: steady.url,
    apiKey: secret,
    make(trouble) {
      switch (trouble) {
        case 'cut the callers':
          for (const { way } of ways) way.cut();
          break;
        case 'cut the database':
          toDatabase.cut();
          break;
        case 'lose the answers of the database':
          toDatabase.loseAnswers(2);
      }
    },
    async stop() {
      await sweeping.stop();
      await Promise.all(ways.map(({ way }) => way.stop()));
      for (const { app, ledger } of [shaken, steady]) {
        await app.close();
        await ledger.stop();
      }
      await toDatabase.stop();
      await database.drop();
    },
  };
}

interface Service {
  readonly ledger: Ledger;
  readonly app: FastifyInstance;
  readonly url: string;
}

async function serve(databaseUrl: string): Promise<Service> {
  const ledger = new Ledger({ databaseUrl });
  await migrate(ledger.database);
  const app = await buildApp({
    ledger,
    ledgerId: await ledger.id(),
    version: '0.0.0-test',
    log: pino({ level: 'silent' }),
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  ledger.start();
  return { ledger, app, url };
}

/** A way to a service on which the answers to marked calls do not arrive. */
async function losingAnswers({ url }: Service): Promise<{ way: BreakableWay; url: string }> {
  const way = await breakableWay(url, MARKED_CALLS);
  way.loseAnswers(Infinity);
  return { way, url: way.through(url) };
}

/** The first byte of an answer is sent when all is decided. */
const MARKED_CALLS: Losses = { concerns: (request) => request.includes(LOSE_THE_ANSWER), answered: () => true };

/** ReadyForQuery, of length 5 (PostgreSQL manual, 54.7): the server is through with a statement that writes, and has committed. */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);
const WRITES: Losses = {
  concerns: (request) => request.includes('al_write'),
  answered: (answer) => answer.includes(READY_FOR_QUERY),
};

/** Ends leases as the service's worker does, only more often. */
function sweep(ledger: Ledger): { stop: () => Promise<void> } {
  let stopped = false;
  const run = async (): Promise<void> => {
    while (!stopped) {
      await ledger.sweep();
      await sleep(150);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}
