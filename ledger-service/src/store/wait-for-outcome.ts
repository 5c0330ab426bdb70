import { type ClaimCommand } from '../domain/commands';
import { Problem } from '../domain/problem';
import { type Changes } from './changes';
import { type Item, type Settled } from './item';
import { pausePoint } from './pause-point';

interface Wait {
  items: readonly Item[];
  callId: string;
  waitMs: number;
  signal: AbortSignal | undefined;
  changes: Changes;
  submit: (items: readonly Item[]) => Promise<void>;
}

/** After a lease has ended the claim is tried a moment later, so that the two clocks need not agree to the millisecond. */
const AFTER_LEASE_MS = 20;

const settledOf = (item: Item): Settled | null => (item.settled instanceof Problem ? null : item.settled);

/** Another holder is at it: not this call, and not this execution, which would wait for itself. */
function worthWaiting(item: Item, callId: string): boolean {
  const settled = settledOf(item);
  const command = item.command as ClaimCommand;
  if (settled?.decision.answer !== 'in_progress' || settled.action === null) return false;
  if (settled.action.callId === callId) return false;
  return command.holderId === null || command.holderId !== settled.action.holderId;
}

/**
 * Claims, and claims again when the holder of an action has ended, until no claim is worth waiting for or the time is
 * over. A call in which anything was granted does not wait: its lease has begun. Answers how long it waited before it
 * claimed for the last time: no lease of this call is older than what came after.
 */
export async function claimAndWait({ items, callId, waitMs, signal, changes, submit }: Wait): Promise<number> {
  const began = performance.now();
  const until = began + waitMs;
  let waitedMs = 0;
  // Watched from before the first claim: a change between its answer and the waiting would be missed otherwise.
  const watch = changes.watch(items.map((item) => item.actionId));
  try {
    await submit(items);
    await pausePoint('first claims answered');
    for (;;) {
      const waiting = items.filter((item) => worthWaiting(item, callId));
      const leftMs = until - performance.now();
      const granted = items.some((item) => settledOf(item)?.decision.answer === 'proceed');
      if (waiting.length === 0 || leftMs <= 0 || granted || isAborted(signal)) return waitedMs;
      // A lease that ends is noticed by claiming again: nobody tells of it but the sweep.
      await watch.next(Math.min(leftMs, ...waiting.map(leaseLeft)), signal);
      await pausePoint('woken');
      if (isAborted(signal)) return waitedMs;
      waitedMs = performance.now() - began;
      await again(waiting, submit);
      await pausePoint('claims answered again');
    }
  } finally {
    watch.end();
  }
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

function leaseLeft(item: Item): number {
  const settled = settledOf(item);
  if (settled?.action?.open == null) return Infinity;
  return Math.max(0, settled.action.open.dueAt - settled.now) + AFTER_LEASE_MS;
}

async function again(waiting: readonly Item[], submit: Wait['submit']): Promise<void> {
  const before = waiting.map(settledOf);
  for (const item of waiting) {
    item.eventRecorded = true;
    item.settled = null;
  }
  await submit(waiting);
  waiting.forEach((item, index) => {
    const settled = settledOf(item);
    if (settled !== null) settled.event ??= before[index]?.event ?? null;
  });
}
