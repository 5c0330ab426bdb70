import { setTimeout as sleep } from 'node:timers/promises';

import { type OperationWithRetention, type Place, type Retention } from '../store/retention';
import { RepeatingWorker, type WorkerLog } from './repeating-worker';

/** Rows in one transaction: a few milliseconds of work. */
const PAGE = 500;

export interface RetentionOptions {
  /** From the end of one pass to the start of the next, in milliseconds. */
  everyMs: number;
  log: WorkerLog;
  onErased: (rows: number) => void;
}

/** A pass over all operations that erase details; each run of the worker is one page of it. */
interface Pass {
  left: OperationWithRetention[];
  after: Place | null;
  erased: number;
  kept: number;
}

/** Erases details when their time is over, page by page until none is left. Several replicas may do so at once. */
export function detailsRetention(
  retention: Pick<Retention, 'operations' | 'erasePage'>,
  { everyMs, log, onErased }: RetentionOptions,
): RepeatingWorker {
  let pass: Pass | null = null;

  async function page(current: Pass): Promise<boolean> {
    const [operation] = current.left;
    if (operation === undefined) {
      pass = null;
      const { erased, kept } = current;
      if (erased > 0) log.info({ erased, kept }, 'Details were erased whose time to be kept is over');
      return false;
    }
    const began = performance.now();
    const { erased, kept, next } = await retention.erasePage(operation, PAGE, current.after);
    current.after = next;
    current.erased += erased;
    current.kept += kept;
    if (next === null) current.left.shift();
    if (erased > 0) onErased(erased);
    // Half of the time it stands aside: whoever claims comes first.
    if (next !== null) await sleep(performance.now() - began);
    return true;
  }

  return new RepeatingWorker({
    name: 'details retention',
    everyMs,
    log,
    run: async () => {
      pass ??= { left: await retention.operations(), after: null, erased: 0, kept: 0 };
      try {
        return await page(pass);
      } catch (error) {
        // The next pass begins anew: what was not erased is due still.
        pass = null;
        throw error;
      }
    },
  });
}
