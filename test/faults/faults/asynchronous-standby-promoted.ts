import { until } from '../../e2e/stack/until';
import { type Fault, type Injection } from '../fault';
import { ReplicatedLedger } from '../servers/replicated-ledger';
import { type ReplicatedPair } from '../servers/replicated-pair';
import { howToRejoin } from './synchronous-standby-promoted';

/** In so many of a hundred injections the standby is made to be behind; in the others it is as far as it comes. */
const BEHIND_PERCENT = 40;
/** A few actions' worth of WAL. */
const BEHIND_BYTES = 50_000;

/**
 * The primary dies and a standby takes over that nobody had waited for. What it had not received is gone although it was
 * acknowledged, and what was done may be done again: the run measures how much. Not supported for claims.
 */
export const asynchronousStandbyPromoted: Fault = {
  name: 'asynchronous-standby-promoted',
  title: 'PostgreSQL: primary killed, asynchronous standby promoted (not supported: loss is measured)',
  injections: 50,
  needs: ['postgresql'],
  prepare: async (run) => {
    const { pair, urls } = await ReplicatedLedger.start(run, { synchronous: false });
    const behind: number[] = [];
    return {
      urls,
      get databaseUrl() {
        return pair.primary.url;
      },
      lossIsMeasured: true,
      inject: async (injection) => {
        const { random } = injection;
        if (random.percent(BEHIND_PERCENT)) behind.push(await killWhileBehind(pair, injection));
        else await pair.primary.kill();
        await pair.promote();
        await pair.rejoin(howToRejoin(random));
      },
      notes: () => [
        `the standby was made to be behind ${behind.length} times, by up to ${Math.round(Math.max(0, ...behind) / 1024)} kB of WAL`,
      ],
    };
  },
};

/** Answers how many bytes of WAL the standby had not been sent. */
async function killWhileBehind(pair: ReplicatedPair, { load }: Injection): Promise<number> {
  const replication = await pair.stopReplication();
  try {
    return await until(
      async () => {
        const bytes = await pair.bytesBehind();
        return (bytes >= BEHIND_BYTES || load.finished) && { bytes };
      },
      { what: 'the standby to be behind', timeoutMs: 60_000, everyMs: 20 },
    ).then(({ bytes }) => bytes);
  } finally {
    await pair.primary.kill();
    replication.resume();
  }
}
