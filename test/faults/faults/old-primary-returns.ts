import { type Fault, type Injection } from '../fault';
import { type LedgerService } from '../servers/ledger-service';
import { ReplicatedLedger } from '../servers/replicated-ledger';
import { type ReplicatedPair } from '../servers/replicated-pair';
import { type ReplicatedPairMember } from '../servers/replicated-pair-member';
import { howToRejoin } from './synchronous-standby-promoted';

/**
 * The primary dies, its standby is promoted, and the old primary comes back on its address, which half of the time is the
 * first in the connection string: read-only, as it should be, or able to write, since nobody told it. Services that
 * start anew and services that lose their connections at that moment must decide on the new one.
 */
export const oldPrimaryReturns: Fault = {
  name: 'old-primary-returns',
  title: 'PostgreSQL: the old primary comes back, read-only or able to write',
  injections: 50,
  needs: ['postgresql'],
  prepare: async (run) => {
    const { pair, urls, services } = await ReplicatedLedger.start(run, { synchronous: true });
    const met = new Map<string, number>();
    return {
      urls,
      get databaseUrl() {
        return pair.primary.url;
      },
      inject: async (injection) => {
        const { random } = injection;
        const [name, comeBack] = random.pick(WAYS);
        met.set(name, (met.get(name) ?? 0) + 1);
        await pair.primary.kill();
        // As Patroni does it: alone without waiting, until somebody follows.
        await pair.promote(false);
        await comeBack({ ...injection, pair, services: random.shuffled(services) });
      },
      notes: () => [`the old primary came back ${[...met].map(([name, times]) => `${times} × ${name}`).join(', ')}`],
    };
  },
};

interface Return extends Injection {
  pair: ReplicatedPair;
  services: readonly LedgerService[];
}

type Way = (comingBack: Return) => Promise<void>;

const WAYS: readonly (readonly [string, Way])[] = [
  [
    'read-only',
    async ({ pair, services, random }) => {
      await pair.rejoin(howToRejoin(random));
      await meetItAnew(pair.primary, services);
    },
  ],
  ['able to write, waiting for its standby', (comingBack) => untold(comingBack, 'synchronous_standby_names=*')],
  ['able to write, waiting for nobody', (comingBack) => untold(comingBack, 'synchronous_standby_names=')],
];

/** Nobody told it: it takes itself for the primary until somebody fences it, and no service may decide on it. */
async function untold({ pair, services, load, random }: Return, setting: string): Promise<void> {
  const former = pair.standby;
  await former.start([setting, 'autovacuum=off']);
  const before = await transactions(former);
  await meetItAnew(pair.primary, services);
  await load.finish();
  const written = (await transactions(former)) - before;
  await former.kill();
  await pair.rejoin(howToRejoin(random));
  if (written !== 0) throw new Error(`${written} transactions were written on the former primary`);
}

/** One service starts anew and knows of nothing; the connections of all others are cut. */
async function meetItAnew(primary: ReplicatedPairMember, [fresh]: readonly LedgerService[]): Promise<void> {
  await primary.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'action-ledger'`,
  );
  await fresh?.kill();
  await fresh?.start();
}

/** How many transactions have written something, or began to. */
async function transactions(member: ReplicatedPairMember): Promise<number> {
  const [row] = await member.query<{ next: number }>(
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS next',
  );
  return row?.next ?? 0;
}
