import { STATE_CODES } from '../domain/states';

/**
 * SQL: whether the action of this row of details is in progress or unknown, by the last row of its history. Whoever has
 * to find out what became of it needs what was written and answered, so nothing is erased from under him.
 *
 * @param row the alias of a row with workspace_no and action_no
 */
export const undecided = (row: string): string => `(
  SELECT h.to_state IN (${STATE_CODES.in_progress}, ${STATE_CODES.unknown}) FROM action_ledger.history h
  WHERE h.workspace_no = ${row}.workspace_no AND h.action_no = ${row}.action_no ORDER BY h.seq DESC LIMIT 1)`;
