import { type StoredAction, storedAction } from '../store/stored-action';
import { Story } from '../domain/story';

/** A story in which two act at once: what they saw before is kept, as a page that somebody has open. */
export class RaceStory extends Story {
  fenceAtStart = { attempt: 0, historySeq: 0 };
  revisionAtStart = 1;

  async begin(): Promise<void> {
    this.fenceAtStart = await this.fence();
    const found = await this.open.ledger.operations.find({
      workspaceNo: this.open.workspaceNo,
      name: this.operation,
    });
    this.revisionAtStart = found?.revision ?? 1;
  }

  /** The lease is over by the database's clock, without a second's waiting. */
  override async leaseOver(): Promise<void> {
    const { rowCount } = await this.open.sql.query(
      `UPDATE action_ledger.open_actions SET since = clock_timestamp() - interval '2 s',
         due_at = clock_timestamp() - interval '1 s' WHERE id = $1`,
      [this.id],
    );
    if (rowCount !== 1) throw new Error('The action has no lease');
  }

  /** Also of an action whose answer nobody told this story of. */
  override async stored(): Promise<(StoredAction & { leaseMs: number }) | null> {
    const { rows } = await this.open.sql.query<{ id: string; lease_ms: number }>(
      'SELECT id, lease_ms FROM action_ledger.actions WHERE workspace_no = $1 AND subject = $2 AND version = 1',
      [this.open.workspaceNo, this.subject],
    );
    const [row] = rows;
    if (row === undefined) return null;
    this.id = row.id;
    const stored = await storedAction(this.open.sql, this.open.workspaceNo, row.id);
    return stored && { ...stored, leaseMs: row.lease_ms };
  }
}
