import { type Client } from 'pg';

import { API_KEY } from './servers/ledger-service';

/** Two sweeps of a second and a fifth each, and what a busy machine may add until a swept lease is written. */
const SWEEPS_MS = 2_400;
const BUSY_MS = 15_000;

/** Leases of a load, which sends no heartbeats: from its grant to the row that says that it ended. By the database's clock. */
const ENDED = `
SELECT a.subject, (extract(epoch FROM ended.at - granted.at) * 1000)::float8 - a.lease_ms AS "lateMs"
FROM action_ledger.history ended
JOIN action_ledger.history granted ON granted.workspace_no = ended.workspace_no
  AND granted.action_no = ended.action_no AND granted.seq = ended.seq - 1 AND granted.to_state = 2
JOIN action_ledger.actions a ON a.workspace_no = ended.workspace_no AND a.no = ended.action_no
WHERE ended.kind = 'lease_expired'`;

/** No lease ended before its time, or long after it. */
export async function assertLeasesEndedInTime(sql: Client): Promise<void> {
  const { rows } = await sql.query<{ subject: string; lateMs: number }>(ENDED);
  const wrong = rows.filter(({ lateMs }) => lateMs < 0 || lateMs > SWEEPS_MS + BUSY_MS);
  if (wrong.length === 0) return;
  const shown = wrong.slice(0, 5).map(({ subject, lateMs }) => `${subject} ${Math.round(lateMs)} ms`);
  throw new Error(`${wrong.length} leases ended at another time than theirs: ${shown.join(', ')}`);
}

interface LeaseQuestion {
  urls: readonly string[];
  sql: Client;
  /** A subject that nobody else uses. */
  name: string;
}

const LEASE_MS = 30_000;

/**
 * One service grants a lease, the others extend it: whatever their own clocks say, it ends so long after the moment at
 * which the database wrote it.
 */
export async function assertLeasesTakeTheDatabasesClock({ urls, sql, name }: LeaseQuestion): Promise<void> {
  const now = async (): Promise<number> => {
    const { rows } = await sql.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    return rows[0]!.now.getTime();
  };
  const [first = '', ...others] = urls;
  const ask = async (url: string, route: string, body: object): Promise<Held> => {
    const before = await now();
    const response = await fetch(`${url}${route}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { results } = (await response.json()) as { results?: Held[] };
    const held = results?.[0];
    if (held?.leaseExpiresAt == null) throw new Error(`${url} answered ${JSON.stringify(held)} to ${route}`);
    const writtenAt = Date.parse(held.leaseExpiresAt) - LEASE_MS;
    const after = await now();
    // The answer's times are cut off to whole milliseconds.
    if (writtenAt < before - 1 || writtenAt > after + 1) {
      throw new Error(`The lease of ${name} ends ${writtenAt - before} ms from when it was asked for, and its length`);
    }
    return held;
  };
  const claim = { subject: name, operation: 'held', leaseSeconds: LEASE_MS / 1_000 };
  const { claimToken } = await ask(first, '/v1/claims', { claims: [claim] });
  for (const url of others) await ask(url, '/v1/heartbeats', { heartbeats: [{ claimToken }] });
}

interface Held {
  leaseExpiresAt?: string | null;
  claimToken?: string;
}
