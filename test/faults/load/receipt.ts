/** What a worker knows of its step, in the ledger's words. */
export interface Receipt {
  outcome: 'confirmed' | 'failed' | 'unknown';
  reference?: string;
  cause?: string;
}
