import { LRUCache } from 'lru-cache';

import { type Operation, type OperationPolicy } from '../domain/policy';
import { type Database } from './database';
import { pausePoint } from './pause-point';

const COLUMNS = `workspace_no AS "workspaceNo", no, name, configured, revision, description, key_recipe AS "keyRecipe",
  lease_seconds AS "leaseSeconds", max_attempts AS "maxAttempts", retry_after_failure AS "retryAfterFailure",
  destination_idempotency AS "destinationIdempotency", destination_window_seconds AS "destinationWindowSeconds",
  safe_repeat AS "safeRepeat", look_up AS "lookUp", settle_seconds AS "settleSeconds", owner,
  review_hours AS "reviewHours", escalate_to AS "escalateTo", details_retention_days AS "detailsRetentionDays",
  replay_window_days AS "replayWindowDays"`;

type Row = Omit<Operation, 'policy'> & OperationPolicy;

function operationOf({ workspaceNo, no, name, configured, revision, ...policy }: Row): Operation {
  return { workspaceNo, no, name, configured, revision, policy };
}

// An operation exists as soon as it is named: it works with the defaults until somebody configures it.
const ENSURE = `
INSERT INTO action_ledger.operations (workspace_no, name)
SELECT * FROM unnest($1::int[], $2::text[]) AS i(workspace_no, name) ORDER BY 1, 2 ON CONFLICT DO NOTHING`;

const READ = `
SELECT ${COLUMNS} FROM action_ledger.operations
JOIN unnest($1::int[], $2::text[]) AS i(workspace_no, name) USING (workspace_no, name)`;

const LIST = `
SELECT ${COLUMNS} FROM action_ledger.operations
WHERE workspace_no = $1 AND name > $3 AND ($2 = '' OR strpos(lower(name), lower($2)) > 0
  OR strpos(lower(coalesce(description, '')), lower($2)) > 0)
ORDER BY name LIMIT $4`;

const SAVE = `
UPDATE action_ledger.operations SET configured = true, revision = revision + 1, description = $4, key_recipe = $5,
  lease_seconds = $6, max_attempts = $7, retry_after_failure = $8, destination_idempotency = $9,
  destination_window_seconds = $10, safe_repeat = $11, look_up = $12, settle_seconds = $13, owner = $14,
  review_hours = $15, escalate_to = $16, details_retention_days = $17, replay_window_days = $18
WHERE workspace_no = $1 AND name = $2 AND revision = $3
RETURNING ${COLUMNS}`;

/** What names an operation inside a ledger. */
export interface OperationName {
  workspaceNo: number;
  name: string;
}

const cacheKey = ({ workspaceNo, name }: OperationName): string => `${workspaceNo}:${name}`;

/**
 * The operations and their policies. What was read is kept, since every claim needs it, and never trusted: reading an
 * action brings the present revision along, and a write names the revision that it was decided under and is refused
 * where the row has another.
 */
export class Operations {
  private readonly known = new LRUCache<string, Operation>({ max: 10_000 });

  constructor(private readonly database: Database) {}

  forget(name: OperationName): void {
    this.known.delete(cacheKey(name));
  }

  /** Forgets what was read under another revision than this, which is the present one. */
  keepOnly(name: OperationName, revision: number | null): void {
    if (this.get(name)?.revision !== revision) this.forget(name);
  }

  /** The operations of these names; those that nobody has named before are made. */
  async ensure(names: readonly OperationName[]): Promise<void> {
    const missing = new Map<string, OperationName>();
    for (const name of names) {
      if (!this.known.has(cacheKey(name))) missing.set(cacheKey(name), name);
    }
    if (missing.size === 0) return;
    const wanted = [...missing.values()];
    const columns = [wanted.map((name) => name.workspaceNo), wanted.map((name) => name.name)];
    let { rows } = await this.database.query<Row>(READ, columns);
    await pausePoint('operations looked for');
    if (rows.length < wanted.length) {
      await this.database.query(ENSURE, columns);
      await pausePoint('operations made');
      ({ rows } = await this.database.query<Row>(READ, columns));
    }
    for (const row of rows) this.known.set(cacheKey(row), operationOf(row));
  }

  /** An operation that `ensure` was asked for before; undefined if it was forgotten since. */
  get(name: OperationName): Operation | undefined {
    return this.known.get(cacheKey(name));
  }

  /** Reads one as it is now; undefined where nobody has named it. */
  async find(name: OperationName): Promise<Operation | undefined> {
    const { rows } = await this.database.query<Row>(READ, [[name.workspaceNo], [name.name]]);
    return rows[0] === undefined ? undefined : operationOf(rows[0]);
  }

  /** Those whose name or description contains the text, by name, after the cursor. */
  async list(workspaceNo: number, search: string, after: string, limit: number): Promise<Operation[]> {
    const { rows } = await this.database.query<Row>(LIST, [workspaceNo, search, after, limit]);
    return rows.map(operationOf);
  }

  /** Saves a policy over the revision that it was made from; undefined where somebody else saved in between. */
  async save(name: OperationName, revision: number, policy: OperationPolicy): Promise<Operation | undefined> {
    const { rows } = await this.database.query<Row>(SAVE, [
      name.workspaceNo,
      name.name,
      revision,
      policy.description,
      policy.keyRecipe,
      policy.leaseSeconds,
      policy.maxAttempts,
      policy.retryAfterFailure,
      policy.destinationIdempotency,
      policy.destinationWindowSeconds,
      policy.safeRepeat,
      policy.lookUp,
      policy.settleSeconds,
      policy.owner,
      policy.reviewHours,
      policy.escalateTo,
      policy.detailsRetentionDays,
      policy.replayWindowDays,
    ]);
    this.forget(name);
    return rows[0] === undefined ? undefined : operationOf(rows[0]);
  }
}
