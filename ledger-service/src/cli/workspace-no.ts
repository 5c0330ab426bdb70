import { type Database } from '../store/database';
import { findWorkspace } from '../store/find-workspace';
import { CommandError } from './command-error';

/** The number of a workspace that a command was given by name. */
export async function workspaceNo(database: Database, workspace: string): Promise<number> {
  const no = await findWorkspace(database, workspace);
  if (no === undefined) {
    throw new CommandError(
      `There is no workspace "${workspace}". Nothing was changed. A workspace is made with its first key: action-ledger keys create --workspace`,
    );
  }
  return no;
}
