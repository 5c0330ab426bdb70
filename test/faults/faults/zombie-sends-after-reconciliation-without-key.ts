import { zombieFault } from '../workers/zombie';

/** The documented gap: a second effect that no ledger can prevent. Counted, and every one must be visible in the ledger. */
export const zombieWithoutKey = zombieFault(
  'zombie-sends-after-reconciliation-without-key',
  "worker: sends after its action was reconciled and done again, without the destination's key",
  { idempotencyKeys: false },
);
