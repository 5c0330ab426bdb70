import { Database } from '../store/database';
import { migrate, schemaState } from '../store/migrate';
import { CommandError } from './command-error';
import { openDatabase } from './open-database';
import { type LedgerChoice } from './with-ledger';

/** `action-ledger migrate`: brings an existing ledger's tables up to this version. */
export async function migrateCommand({ data, init }: LedgerChoice & { init: boolean }): Promise<void> {
  const opened = await openDatabase({ data, init, join: false, log: () => undefined });
  const database = new Database({ url: opened.url });
  try {
    const { exists, unknown } = await schemaState(database);
    if (unknown.length > 0) {
      throw new CommandError(
        `The ledger in ${opened.where} has the tables of a newer version (${unknown.join(', ')}). Nothing was changed. Run that version.`,
      );
    }
    if (!exists && !init) {
      throw new CommandError(
        `There is no ledger in ${opened.where}. Nothing was changed. Give the database or folder of your ledger, or make a new one with --init.`,
      );
    }
    const applied = await migrate(database);
    process.stdout.write(
      applied.length === 0
        ? `The ledger in ${opened.where} is up to date; nothing was changed.\n`
        : `The ledger in ${opened.where} is ${exists ? 'up to date now' : 'made'}. Applied: ${applied.join(', ')}\n`,
    );
  } finally {
    await database.end();
    await opened.stop();
  }
}
