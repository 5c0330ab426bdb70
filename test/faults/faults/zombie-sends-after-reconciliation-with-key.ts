import { zombieFault } from '../workers/zombie';

/** The destination honours the key that the ledger handed out, twice the same: one effect. */
export const zombieWithKey = zombieFault(
  'zombie-sends-after-reconciliation-with-key',
  "worker: sends after its action was reconciled and done again, with the destination's key",
  { idempotencyKeys: true },
);
