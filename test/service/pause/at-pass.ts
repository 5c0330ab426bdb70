import { onPausePoint, type PausePoint } from '../../../ledger-service/src/store/pause-point';

/** The points that a piece of work passes, in order. */
export async function passesOf(work: () => Promise<unknown>): Promise<PausePoint[]> {
  const passed: PausePoint[] = [];
  const off = onPausePoint((point) => void passed.push(point));
  try {
    await work();
  } finally {
    off();
  }
  return passed;
}

/**
 * Does the work, and stops it once where it passes a point for the `pass`-th time (from 0, all points counted), until
 * `meanwhile` is done. What `meanwhile` itself passes is not counted. Answers the work's result and where it stopped.
 */
export async function stoppedAt<T>(
  pass: number,
  work: () => Promise<T>,
  meanwhile: (point: PausePoint) => Promise<unknown>,
): Promise<{ result: T; point: PausePoint | null }> {
  let count = 0;
  let stopped: PausePoint | null = null;
  let done: Promise<unknown> = Promise.resolve();
  const off = onPausePoint(async (point) => {
    if (count++ !== pass) return;
    off();
    stopped = point;
    await (done = meanwhile(point));
  });
  try {
    const result = await work();
    // Not all that passes a point is waited for by its caller, who may have been answered already.
    await done;
    return { result, point: stopped };
  } finally {
    off();
  }
}

/** Stops the work once at the first pass of this point. */
export async function stoppedOnceAt<T>(
  where: PausePoint,
  work: () => Promise<T>,
  meanwhile: () => Promise<unknown>,
): Promise<T> {
  let done: Promise<unknown> | undefined;
  const off = onPausePoint(async (point) => {
    if (point !== where) return;
    off();
    await (done = meanwhile());
  });
  const result = await work().finally(off);
  if (done === undefined) throw new Error(`The point "${where}" was not passed`);
  await done;
  return result;
}
