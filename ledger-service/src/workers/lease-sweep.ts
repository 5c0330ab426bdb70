import { type Ledger } from '../store/ledger';
import { RepeatingWorker, type WorkerLog } from './repeating-worker';

const BATCH = 200;

/** Ends leases that are over, so that nothing stays in progress without anybody at it. Several replicas may sweep at once. */
export function leaseSweep(
  ledger: Pick<Ledger, 'sweep'>,
  log: WorkerLog,
  onSwept: (ended: number) => void,
): RepeatingWorker {
  return new RepeatingWorker({
    name: 'lease sweep',
    everyMs: 1_000,
    log,
    run: async () => {
      const ended = await ledger.sweep(BATCH);
      if (ended > 0) onSwept(ended);
      // Only a sweep that made headway goes on at once: leases that another replica is ending are found again.
      return ended === BATCH;
    },
  });
}
