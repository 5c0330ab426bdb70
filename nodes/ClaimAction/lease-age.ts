import type { Stopwatch } from '../shared/stopwatch';

/**
 * The longest that a lease granted by a call can have been running: since the call left, less the time in which the
 * ledger waited for somebody else's outcome and had granted nothing yet.
 */
export class LeaseAge {
  private readonly waitedMs: number;

  /** Made when the answer arrives: the ledger cannot have waited longer than that took, nor than it was asked to. */
  constructor(
    private readonly sent: Stopwatch,
    waitedMs: unknown,
    askedWaitMs: number,
  ) {
    const isUsable = typeof waitedMs === 'number' && Number.isFinite(waitedMs) && waitedMs >= 0;
    this.waitedMs = isUsable ? Math.min(waitedMs, askedWaitMs, sent.elapsedMs()) : 0;
  }

  atMostMs(): number {
    return this.sent.elapsedMs() - this.waitedMs;
  }
}
