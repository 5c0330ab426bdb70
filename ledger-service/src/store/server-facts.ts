import { type ClientBase, DatabaseError } from 'pg';

import { connectionSurvives, UnfitServerError } from './database-errors';

interface ServerFacts {
  in_recovery: boolean;
  read_only: string;
  fsync: string;
  synchronous_commit: string;
  version: number;
}

/**
 * How long the server keeps a connection whose other end is gone without a word. A statement whose last message (Sync)
 * never arrives is carried out, and waits for that message with all its locks: nothing but `transaction_timeout`, which
 * PostgreSQL has from 17 on, ends it while something on the way still acknowledges packets. Longer than this service
 * waits itself, so that it is always the first to give up. Behind a pooler these stay with whoever gets the server's
 * connection next: they are limits, and nothing relies on them.
 */
const LIMITS = `
       CASE WHEN current_setting('server_version_num')::int >= 170000
            THEN set_config('transaction_timeout', '6s', false) END,
       set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
       set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '20s', false)`;

const FACTS = `
SELECT pg_is_in_recovery() AS in_recovery,
       current_setting('transaction_read_only') AS read_only,
       current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS synchronous_commit,
       current_setting('server_version_num')::int AS version,${LIMITS}`;

// The timeline that is written now. pg_control_checkpoint() still shows the one before until a promoted server's first
// checkpoint, which may be minutes later. Not every managed service lets these functions be called.
const FACTS_AND_LINEAGE = `${FACTS},
       (SELECT system_identifier::text FROM pg_control_system()) AS cluster,
       CASE WHEN NOT pg_is_in_recovery()
         THEN ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int END AS timeline`;

/** A server that may decide: which cluster it belongs to, and on which timeline it writes. */
export interface Lineage {
  /** The system identifier, the same on a primary and all its standbys. */
  cluster: string;
  /** Raised by one with each promotion. A former primary stays behind on its lower one. */
  timeline: number;
}

/**
 * Asks a server whether it may decide.
 *
 * @returns its lineage; null where it does not tell, as some managed services do not
 * @throws {UnfitServerError} where what it acknowledges can be lost, or it cannot write
 */
export async function checkServer(client: ClientBase): Promise<Lineage | null> {
  const [facts] = await client
    .query<ServerFacts & Partial<Lineage>>(FACTS_AND_LINEAGE)
    .catch((error: unknown) => {
      if (!(error instanceof DatabaseError) || !connectionSurvives(error)) throw error;
      return client.query<ServerFacts & Partial<Lineage>>(FACTS);
    })
    .then(({ rows }) => rows);
  refuseUnfit(facts);
  return facts?.cluster == null || facts.timeline == null ? null : { cluster: facts.cluster, timeline: facts.timeline };
}

function refuseUnfit(facts: ServerFacts | undefined): void {
  if (facts === undefined) throw new UnfitServerError('The server did not say what it is');
  if (facts.in_recovery || facts.read_only === 'on') {
    throw new UnfitServerError(
      'This PostgreSQL server is read-only (a standby?); the ledger decides on the primary only',
    );
  }
  if (facts.fsync === 'off') {
    throw new UnfitServerError('PostgreSQL runs with fsync = off: it can forget what it confirmed. Set fsync = on');
  }
  if (facts.synchronous_commit === 'off' || facts.synchronous_commit === 'local') {
    throw new UnfitServerError(
      `PostgreSQL runs with synchronous_commit = ${facts.synchronous_commit}: it can forget what it confirmed. Set it to on`,
    );
  }
  if (facts.version < 140_000) {
    throw new UnfitServerError(`PostgreSQL 14 or newer is needed; this is ${Math.floor(facts.version / 10_000)}`);
  }
}
