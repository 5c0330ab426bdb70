import { type Database } from './database';

/** The number of a workspace; undefined where there is none of that name. */
export async function findWorkspace(database: Database, name: string): Promise<number | undefined> {
  const { rows } = await database.query<{ no: number }>('SELECT no FROM action_ledger.workspaces WHERE name = $1', [
    name,
  ]);
  return rows[0]?.no;
}
