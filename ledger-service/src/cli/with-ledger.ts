import { Ledger } from '../store/ledger';
import { openDatabase } from './open-database';
import { prepareLedger } from './prepare-ledger';

export interface LedgerChoice {
  data: string;
}

/** Opens the ledger for one command and closes it again. Makes none and changes no tables. */
export async function withLedger(choice: LedgerChoice, work: (ledger: Ledger) => Promise<void>): Promise<void> {
  const database = await openDatabase({ data: choice.data, init: false, join: true, log: () => undefined });
  const ledger = new Ledger({ databaseUrl: database.url });
  try {
    await prepareLedger(ledger.database, database.where, false);
    await work(ledger);
  } finally {
    await ledger.stop();
    await database.stop();
  }
}
