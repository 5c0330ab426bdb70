import { type Database } from '../store/database';
import { migrate, schemaState } from '../store/migrate';
import { CommandError } from './command-error';

/**
 * Makes sure that there is a ledger of this version. A new one is made, and an older one brought up to date, only with
 * `init`: an empty ledger made by mistake would let every action proceed again.
 */
export async function prepareLedger(database: Database, where: string, init: boolean): Promise<{ made: boolean }> {
  const { exists, pending, unknown } = await schemaState(database);
  if (unknown.length > 0) {
    throw new CommandError(
      `The ledger in ${where} has the tables of a newer version (${unknown.join(', ')}). Nothing was started or changed. Run that version.`,
    );
  }
  if (!exists && !init) {
    throw new CommandError(
      `There is no ledger in ${where}. Nothing was started: an empty ledger made by mistake would let every action proceed again. ` +
        'Give the database or folder of your ledger, or make a new one with --init.',
    );
  }
  if (pending.length > 0 && !init) {
    throw new CommandError(
      `The ledger in ${where} has the tables of an older version (missing: ${pending.join(', ')}). Nothing was started. ` +
        'Make a backup, then run: action-ledger migrate',
    );
  }
  if (pending.length > 0) await migrate(database);
  return { made: !exists };
}
