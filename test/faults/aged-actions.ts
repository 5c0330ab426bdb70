import { Client } from 'pg';

import { until } from '../e2e/stack/until';
import { OPERATION } from './load/settings';
import { type Random } from './random';
import { API_KEY } from './servers/ledger-service';

/** Of an operation of its own, so that no other claim ends its leases. */
const ABANDONED = 'abandoned-step';
const KEPT = 'kept-for-30-days';
const KEPT_DAYS = 30;
/** The retention of what the load does. */
const LOAD_DAYS = 7;

/** How long the sweeps and retentions of a busy machine may take, in milliseconds. */
const PATIENCE_MS = 60_000;

/** Ends of leases, and the age of details, are moved into the past: what takes days is met at one moment. */
const END_LEASES = `
UPDATE action_ledger.open_actions o SET since = o.since - interval '1 hour', due_at = clock_timestamp() - interval '1 minute'
FROM action_ledger.actions a WHERE a.workspace_no = o.workspace_no AND a.id = o.id AND a.subject = ANY($1) AND o.state = 2`;

const AGE_DETAILS = `
UPDATE action_ledger.history_details d SET recorded_at = clock_timestamp() - $2::float8 * interval '24 hours'
FROM action_ledger.actions a WHERE a.workspace_no = d.workspace_no AND a.no = d.action_no AND a.subject = ANY($1)`;

/** Some of what the load has confirmed already. */
const AGE_SOME_OF_THE_LOAD = `
UPDATE action_ledger.history_details d SET recorded_at = clock_timestamp() - $2::float8 * interval '24 hours'
WHERE (d.workspace_no, d.action_no) IN (
  SELECT a.workspace_no, a.no FROM action_ledger.actions a
  JOIN action_ledger.operations p ON p.workspace_no = a.workspace_no AND p.no = a.operation_no
  WHERE p.name = $1 AND a.state = 3 ORDER BY a.no DESC LIMIT 200)`;

const STORED = `
SELECT a.subject, a.state, a.history_seq, (
    SELECT count(*)::int FROM action_ledger.history h
    WHERE h.workspace_no = a.workspace_no AND h.action_no = a.no AND h.kind = 'lease_expired') AS swept,
  (SELECT count(*)::int FROM action_ledger.history h
    WHERE h.workspace_no = a.workspace_no AND h.action_no = a.no AND h.details_digest IS NOT NULL) AS had,
  (SELECT count(*)::int FROM action_ledger.history_details d
    WHERE d.workspace_no = a.workspace_no AND d.action_no = a.no) AS details
FROM action_ledger.actions a WHERE a.subject = ANY($1)`;

const IN_PROGRESS = `
SELECT count(*)::int AS count FROM action_ledger.actions WHERE subject = ANY($1) AND state = 2`;

const ERASABLE = `
SELECT count(*)::int AS count FROM action_ledger.history_details d
JOIN action_ledger.actions a ON a.workspace_no = d.workspace_no AND a.no = d.action_no
JOIN action_ledger.operations p ON p.workspace_no = a.workspace_no AND p.no = a.operation_no
WHERE p.name IN ($1, $2) AND a.state NOT IN (2, 5)
  AND d.recorded_at < clock_timestamp() - p.details_retention_days * interval '24 hours'`;

const DEADLOCKS = `SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()`;

interface Stored {
  subject: string;
  state: number;
  history_seq: number;
  swept: number;
  had: number;
  details: number;
}

type Kind = 'abandoned' | 'due' | 'young' | 'undecided';

/** Actions whose leases end, and whose details are due or not yet, all at once. */
export class AgedActions {
  private swept = 0;
  private erased = 0;
  private kept = 0;

  private constructor(
    private readonly sql: Client,
    private readonly urls: readonly string[],
  ) {}

  static async open(databaseUrl: string, urls: readonly string[]): Promise<AgedActions> {
    const sql = new Client({ connectionString: databaseUrl });
    sql.on('error', () => undefined);
    await sql.connect();
    const aged = new AgedActions(sql, urls);
    await aged.call('PUT', `/v1/operations/${KEPT}`, { detailsRetentionDays: KEPT_DAYS });
    return aged;
  }

  async close(): Promise<void> {
    await this.sql.end();
  }

  get note(): string {
    return `${this.swept} leases were swept once each; details of ${this.erased} actions were erased when they were due, those of ${this.kept} that were not, or were undecided, are all there`;
  }

  /** Beside the owner, whom the run has set already. */
  private async setRetentionOfTheLoad(): Promise<void> {
    const route = `/v1/operations/${OPERATION}`;
    const { revision } = await this.call<{ revision: number }>('GET', route);
    await this.call('PUT', route, { detailsRetentionDays: LOAD_DAYS, revision });
  }

  /** Makes some of each kind, moves their times, waits for what must happen, and answers what else did. */
  async comeOfAge(prefix: string, random: Random): Promise<string[]> {
    const subjects = (kind: Kind, count: number): string[] =>
      Array.from({ length: count }, (_, index) => `${prefix}-${kind}-${index}`);
    const made: Record<Kind, string[]> = {
      abandoned: subjects('abandoned', random.between(20, 250)),
      due: subjects('due', random.between(50, 400)),
      young: subjects('young', random.between(10, 100)),
      undecided: subjects('undecided', random.between(5, 50)),
    };
    if (this.swept === 0) await this.setRetentionOfTheLoad();
    await this.claim(ABANDONED, made.abandoned);
    for (const [kind, outcome] of [
      ['due', 'confirmed'],
      ['young', 'failed'],
      ['undecided', 'unknown'],
    ] as const) {
      await this.end(await this.claim(KEPT, made[kind]), outcome);
    }
    await this.sql.query(END_LEASES, [made.abandoned]);
    await this.sql.query(AGE_DETAILS, [made.young, KEPT_DAYS - 0.01]);
    await this.sql.query(AGE_DETAILS, [made.undecided, KEPT_DAYS * 10]);
    await this.sql.query(AGE_DETAILS, [made.due, KEPT_DAYS + random.between(1, 1_000) / 1_000]);
    await this.sql.query(AGE_SOME_OF_THE_LOAD, [OPERATION, LOAD_DAYS + 1]);
    await this.until(IN_PROGRESS, [made.abandoned], 'the leases that are over to be swept');
    await this.until(ERASABLE, [KEPT, OPERATION], 'the details that are due to be erased');
    return this.wrong(made);
  }

  /** PostgreSQL counts those that it had to end. */
  async deadlocks(): Promise<string[]> {
    const { rows } = await this.sql.query<{ count: number }>(DEADLOCKS);
    return (rows[0]?.count ?? 0) === 0 ? [] : [`${rows[0]?.count} deadlocks`];
  }

  private async wrong(made: Record<Kind, string[]>): Promise<string[]> {
    const wrong: string[] = [];
    for (const kind of ['abandoned', 'due', 'young', 'undecided'] as const) {
      const { rows } = await this.sql.query<Stored>(STORED, [made[kind]]);
      if (rows.length !== made[kind].length)
        wrong.push(`${rows.length} of ${made[kind].length} ${kind} actions are there`);
      for (const row of rows) {
        const sound: Record<Kind, boolean> = {
          abandoned: row.state === 5 && row.history_seq === 2 && row.swept === 1,
          due: row.state === 3 && row.details === 0 && row.had === 2,
          young: row.state === 4 && row.details === 2,
          undecided: row.state === 5 && row.details === 2,
        };
        if (!sound[kind]) wrong.push(`${row.subject}: ${JSON.stringify(row)}`);
      }
    }
    this.swept += made.abandoned.length;
    this.erased += made.due.length;
    this.kept += made.young.length + made.undecided.length;
    return wrong;
  }

  private async until(sql: string, values: unknown[], what: string): Promise<void> {
    const none = async (): Promise<boolean> =>
      (await this.sql.query<{ count: number }>(sql, values)).rows[0]?.count === 0;
    await until(none, { what, timeoutMs: PATIENCE_MS, everyMs: 100 });
  }

  private async claim(operation: string, subjects: readonly string[]): Promise<string[]> {
    const { results } = await this.call<{ results: { claimToken: string | null; decision: string }[] }>(
      'POST',
      '/v1/claims',
      {
        claims: subjects.map((subject) => ({ subject, operation, leaseSeconds: 300, details: { order: subject } })),
      },
    );
    return results.map(({ claimToken, decision }) => {
      if (claimToken === null) throw new Error(`A first claim was answered ${decision}`);
      return claimToken;
    });
  }

  private async end(claimTokens: readonly string[], outcome: string): Promise<void> {
    await this.call('POST', '/v1/receipts', {
      receipts: claimTokens.map((claimToken) => ({ claimToken, outcome, evidence: { answered: 'Dear Ada' } })),
    });
  }

  private turn = 0;

  private async call<T>(method: string, route: string, body?: object): Promise<T> {
    const response = await fetch(`${this.urls[this.turn++ % this.urls.length]}${route}`, {
      method,
      headers: {
        authorization: `Bearer ${API_KEY}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${route} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}
