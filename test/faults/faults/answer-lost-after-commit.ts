import { setTimeout as sleep } from 'node:timers/promises';

import { type Fault } from '../fault';
import { LEDGER_WRITES } from '../servers/ledger-messages';
import { startProxiedLedger } from '../servers/proxied-ledger';

/** What the load is waited for to write, in milliseconds; near its end there may be nothing left to lose. */
const LOSING_MS = 3_000;

/** PostgreSQL commits what the service decided, and its answer never comes: decided again, it must be the same. */
export const answerLostAfterCommit: Fault = {
  name: 'answer-lost-after-commit',
  title: 'PostgreSQL commits and its answer is lost',
  injections: 50,
  prepare: async (run) => {
    const { postgres, proxy, service, callers } = await startProxiedLedger(run);
    return {
      urls: [service.url],
      databaseUrl: postgres.url,
      inject: async ({ number, random }) => {
        // Most are cut afterwards; every tenth connection is left hanging, which takes the service seconds to find out.
        const then = number % 10 === 0 ? 'half_open' : 'cut';
        const lost = proxy.loseAnswers({ ...LEDGER_WRITES, answers: random.between(1, 12), then });
        await Promise.race([lost, sleep(LOSING_MS)]);
        proxy.keepAnswers();
        await callers.recovered();
      },
      notes: () => [`${proxy.answersLost} answers to committed statements were lost`, callers.note],
    };
  },
};
