import { arrayLiteral } from './array-literal';
import { type ChangeRecord, changeRecord, COLUMNS, type Write } from './change-record';
import { type Database } from './database';
import { type Shape, writeStatement } from './write-statement';

export interface Written {
  /** The action's small number. */
  no: number;
  /** The database's clock when all locks were held. */
  now: number;
  /** The times of an action that stays open, counted from then. */
  open: { dueAt: number; reviewBy: number | null; settleFrom: number | null } | null;
  event: { deliveries: number; firstSeenAt: number } | null;
}

interface WrittenRow {
  ord: number;
  no: number;
  now: number;
  due_at: number | null;
  review_at: number | null;
  settles_at: number | null;
  /** Before this one. */
  deliveries: number | null;
  first_seen_at: number | null;
}

/** Answers, in order, what was written; null where the action had moved on and nothing was. */
export async function writeChanges(database: Database, writes: readonly Write[]): Promise<(Written | null)[]> {
  const records = writes.map(changeRecord);
  const { rows } = await database.prepared<WrittenRow>(
    writeStatement(shapeOf(records)),
    COLUMNS.map((column) => arrayLiteral(records.map((record) => record[column]))),
  );
  const results: (Written | null)[] = writes.map(() => null);
  for (const row of rows) {
    const { ord, no, now, due_at: dueAt, review_at: reviewBy, settles_at: settleFrom } = row;
    const { deliveries, first_seen_at: firstSeenAt } = row;
    const event = deliveries === null || firstSeenAt === null ? null : { deliveries: deliveries + 1, firstSeenAt };
    results[ord] = { no, now, open: dueAt === null ? null : { dueAt, reviewBy, settleFrom }, event };
  }
  return results;
}

function shapeOf(records: readonly ChangeRecord[]): Shape {
  const any = (test: (record: ChangeRecord) => boolean): boolean => records.some(test);
  return {
    creates: any((record) => record.is_new === true),
    updates: any((record) => record.is_new === false),
    closes: any((record) => record.closes === true),
    details: any((record) => record.body != null),
    references: any((record) => record.new_references != null),
    events: any((record) => record.event_id != null),
  };
}
