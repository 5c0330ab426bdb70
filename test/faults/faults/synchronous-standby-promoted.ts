import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../../e2e/stack/until';
import { type Fault, type Injection } from '../fault';
import { type Random } from '../random';
import { ReplicatedLedger } from '../servers/replicated-ledger';
import { type ReplicatedPair } from '../servers/replicated-pair';

/**
 * The primary dies while claims run, and its synchronous standby takes over. Nothing that was acknowledged may be
 * missing there, also where the primary had kept more than the standby: commits whose wait was cancelled, and commits
 * that a restart of the primary made visible before any standby had them.
 */
export const synchronousStandbyPromoted: Fault = {
  name: 'synchronous-standby-promoted',
  title: 'PostgreSQL: primary killed, synchronous standby promoted',
  injections: 50,
  needs: ['postgresql'],
  prepare: async (run) => {
    const { pair, urls } = await ReplicatedLedger.start(run, { synchronous: true });
    const met = new Map<string, number>();
    let cancelled = 0;
    return {
      urls,
      get databaseUrl() {
        return pair.primary.url;
      },
      inject: async (injection) => {
        const { random } = injection;
        const [name, lose] = random.pick(WAYS);
        met.set(name, (met.get(name) ?? 0) + 1);
        cancelled += await lose(pair, injection);
        // Strict, or as Patroni does it: alone without waiting, until somebody follows.
        await pair.promote(random.percent(50));
        await pair.rejoin(howToRejoin(random));
      },
      notes: () => [
        `${[...met].map(([name, times]) => `${times} × ${name}`).join(', ')}; ${cancelled} waits for the standby were cancelled`,
      ],
    };
  },
};

/** What was written by the old primary alone must be taken back, either way. */
export const howToRejoin = (random: Random): 'rewind' | 'copy' => (random.percent(50) ? 'rewind' : 'copy');

type Way = (pair: ReplicatedPair, injection: Injection) => Promise<number>;

/** Ways to lose the primary; each answers how many waits it cancelled. */
const KILLED: readonly [string, Way] = [
  'killed',
  async (pair) => {
    await pair.primary.kill();
    return 0;
  },
];

const WAYS: readonly (readonly [string, Way])[] = [
  KILLED,
  KILLED,
  [
    // The others of its processes notice it, and end what they are at in their own time.
    'postmaster killed',
    async (pair) => {
      await pair.primary.killPostmaster();
      return 0;
    },
  ],
  [
    'waits cancelled, then killed',
    async (pair, { random }) => {
      const replication = await pair.stopReplication();
      let cancelled = 0;
      try {
        for (let times = random.between(1, 4); times > 0; times--) {
          await somebodyWaits(pair);
          cancelled += await pair.cancelWaits();
          await sleep(random.between(0, 100));
        }
      } finally {
        await pair.primary.kill();
        replication.resume();
      }
      return cancelled;
    },
  ],
  [
    'restarted without its standby, then killed',
    async (pair) => {
      await pair.standby.kill();
      await somebodyWaits(pair);
      await pair.primary.kill();
      await pair.primary.start();
      // By now callers ask again for what the restart has made visible.
      await somebodyWaits(pair);
      await pair.primary.kill();
      await pair.standby.start();
      return 0;
    },
  ],
];

/** Resolves when a commit of the service waits for the standby. */
async function somebodyWaits(pair: ReplicatedPair): Promise<void> {
  await until(async () => (await pair.waits()) > 0, {
    what: 'a commit to wait for the standby',
    timeoutMs: 30_000,
    everyMs: 20,
  });
}
