import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';

import { Client } from 'pg';

import { until } from '../../e2e/stack/until';
import { type Fault } from '../fault';
import { PatientCallers } from '../patient-callers';
import { ConnectionEater } from '../servers/connection-eater';
import { LedgerService } from '../servers/ledger-service';
import { PostgresServer } from '../servers/postgres-server';

/** So few that they are soon eaten; the service takes 10 and one that listens. */
const MAX_CONNECTIONS = 40;
/** Callers at once, a multiple of the service's connections, beside the load. */
const CALLERS = 60;

/** In milliseconds, from and to: mostly shorter, now and then longer than the service is patient. */
const SHORT = [200, 1_200] as const;
const LONG = [5_500, 7_000] as const;

/** There are no connections to be had: PostgreSQL has none left, or the service's own all wait for a lock. */
export const poolExhausted: Fault = {
  name: 'pool-exhausted',
  title: 'PostgreSQL has no connection left, or all of the service’s wait',
  injections: 50,
  prepare: async ({ folder, atEnd }) => {
    const postgres = await PostgresServer.start(path.join(folder, 'data'));
    atEnd(() => postgres.stop());
    await limitConnections(postgres);
    const service = await LedgerService.start({ databaseUrl: postgres.url, folder });
    atEnd(() => service.stop());
    const eater = new ConnectionEater(postgres.url);
    atEnd(() => eater.giveBack());
    const callers = new PatientCallers({ url: service.url, callers: CALLERS });
    atEnd(() => callers.stop());
    return {
      urls: [service.url],
      databaseUrl: postgres.url,
      load: { workers: 120 },
      inject: async ({ number, random }) => {
        const [least, most] = number % 10 === 0 ? LONG : SHORT;
        const timeMs = random.between(least, most);
        await (random.percent(60) ? eatConnections(eater, timeMs) : lockEverything(postgres.url, timeMs));
        await callers.recovered();
      },
      notes: () => [callers.note],
    };
  },
};

async function limitConnections(postgres: PostgresServer): Promise<void> {
  const client = new Client({ connectionString: postgres.url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`ALTER SYSTEM SET max_connections = ${MAX_CONNECTIONS}`);
  await client.end();
  const before = postgres.pid;
  postgres.kill('SIGINT');
  await until(() => postgres.pid !== before, { what: 'PostgreSQL to start again' });
  await postgres.ready();
}

/** All connections belong to somebody else, those that the service has lost among them; the time counts from then on. */
async function eatConnections(eater: ConnectionEater, timeMs: number): Promise<void> {
  try {
    await eater.eat();
    await until(
      async () => {
        await eater.endThoseOfTheLedger();
        await eater.eat();
        return (await eater.countThoseOfTheLedger()) === 0;
      },
      { what: 'the ledger to have no connection', everyMs: 5 },
    );
    await sleep(timeMs);
  } finally {
    await eater.giveBack();
  }
}

/** Whatever the service asks waits for this lock, on as many connections as it may have. */
async function lockEverything(url: string, timeMs: number): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'somebody else' });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE action_ledger.actions, action_ledger.api_keys IN ACCESS EXCLUSIVE MODE');
    await sleep(timeMs);
    await client.query('ROLLBACK');
  } finally {
    await client.end();
  }
}
