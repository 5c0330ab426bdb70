import { setTimeout as sleep } from 'node:timers/promises';

import { type Fault } from '../fault';
import { answersOf } from '../servers/ledger-messages';
import { startLedgerWithProxiedCallers } from '../servers/proxied-ledger';

/** How long the load is waited for to ask, in milliseconds; near its end there may be nothing left to lose. */
const LOSING_MS = 3_000;

/** The ledger decided, and the worker never hears of it: it asks again as the same call, and is told the same. */
export const clientAnswerLost: Fault = {
  name: 'client-answer-lost',
  title: 'ledger to workers: decided, and the answer is lost',
  injections: 60,
  prepare: async (run) => {
    const { postgres, proxy, url } = await startLedgerWithProxiedCallers(run);
    return {
      urls: [url],
      databaseUrl: postgres.url,
      // Who is left hanging asks again soon, within the lease: the answer that was lost is the one that it then gets.
      load: { callMs: 1_500 },
      inject: async ({ random }) => {
        const answers = random.between(5, 40);
        const lost = proxy.loseAnswers({
          ...answersOf(random.pick(['/v1/claims', '/v1/receipts'])),
          answers,
          then: random.percent(75) ? 'cut' : 'half_open',
        });
        await Promise.race([lost, sleep(LOSING_MS, undefined, { ref: false })]);
        proxy.keepAnswers();
      },
      notes: () => [`${proxy.answersLost} answers to workers were lost`],
    };
  },
};
