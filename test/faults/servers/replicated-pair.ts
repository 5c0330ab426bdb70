import path from 'node:path';

import { freePort } from '../../e2e/stack/free-port';
import { until } from '../../e2e/stack/until';
import { type Run } from '../fault';
import { send } from './processes-in';
import { DATABASE, OWNER, ReplicatedPairMember } from './replicated-pair-member';

export interface ReplicatedPairOptions {
  /**
   * Whether a commit waits for the standby. `synchronous_commit = on` waits until the standby has *flushed* it, which is
   * what a promotion keeps: everything flushed is replayed before the standby takes writes. `remote_apply` would only
   * make it visible to readers of the standby, and the ledger never reads there; `remote_write` could lose it when both
   * machines go down.
   */
  synchronous: boolean;
}

const WAITING = `pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'action-ledger'`;

/** Two PostgreSQL on one connection string: a primary, and a standby that streams from it. They change places. */
export class ReplicatedPair {
  private constructor(
    private readonly members: readonly [ReplicatedPairMember, ReplicatedPairMember],
    private readonly synchronous: boolean,
    private primaryAt: 0 | 1,
  ) {}

  static async start(run: Run, { synchronous }: ReplicatedPairOptions): Promise<ReplicatedPair> {
    const a = new ReplicatedPairMember('a', await freePort(), path.join(run.folder, 'a'));
    run.atEnd(() => a.kill());
    await a.initialise();
    await a.start();
    await a.dropTemplate0();
    const b = new ReplicatedPairMember('b', await freePort(), path.join(run.folder, 'b'));
    run.atEnd(() => b.kill());
    const pair = new ReplicatedPair([a, b], synchronous, 0);
    await b.copy(a);
    await b.start();
    if (synchronous) await pair.waitForStandby(true);
    await pair.replicates();
    return pair;
  }

  /** For the service: both hosts, always in this order, whichever is the primary. */
  get url(): string {
    const hosts = this.members.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `postgres://${OWNER}@${hosts}/${DATABASE}`;
  }

  get primary(): ReplicatedPairMember {
    return this.members[this.primaryAt];
  }

  get standby(): ReplicatedPairMember {
    return this.members[this.primaryAt === 0 ? 1 : 0];
  }

  /** Whether commits on the primary wait for the standby from now on. */
  async waitForStandby(wait: boolean): Promise<void> {
    await setSynchronous(this.primary, wait);
  }

  /** Stops the sending of WAL, as a network that fails between the two would; the primary notices only after a minute. */
  async stopReplication(): Promise<{ resume: () => void }> {
    const rows = await this.primary.query<{ pid: number }>('SELECT pid FROM pg_stat_replication');
    for (const { pid } of rows) send(pid, 'SIGSTOP');
    return { resume: () => rows.forEach(({ pid }) => send(pid, 'SIGCONT')) };
  }

  /** How much WAL the standby has not been sent, in bytes. */
  async bytesBehind(): Promise<number> {
    const rows = await this.primary.query<{ bytes: number }>(
      'SELECT (pg_current_wal_flush_lsn() - min(sent_lsn))::float8 AS bytes FROM pg_stat_replication',
    );
    return rows[0]?.bytes ?? 0;
  }

  /** How many commits of the service wait for the standby now. */
  async waits(): Promise<number> {
    return (await this.primary.query(`SELECT FROM ${WAITING}`)).length;
  }

  /** Ends those waits, as an impatient operator does: what was written is kept on the primary only. Answers how many. */
  async cancelWaits(): Promise<number> {
    return (await this.primary.query(`SELECT pg_cancel_backend(pid) FROM ${WAITING}`)).length;
  }

  /**
   * Makes the standby the primary. The former one is not told, nor touched.
   * @param wait whether commits on the new primary wait for a standby at once, although there is none yet
   */
  async promote(wait = this.synchronous): Promise<void> {
    const promoted = this.standby;
    // Not waited for in the statement: replaying may cancel any statement of a standby, this one too.
    await until(async () => (await isWritable(promoted)) || (await promoted.query('SELECT pg_promote(false)'), false), {
      what: `${promoted.name} to take writes`,
      timeoutMs: 60_000,
      everyMs: 50,
    });
    this.primaryAt = this.primaryAt === 0 ? 1 : 0;
    await setSynchronous(promoted, wait);
  }

  /** Makes the former primary, which is down, the standby of the present one. Resolves when it follows. */
  async rejoin(how: 'rewind' | 'copy'): Promise<void> {
    if (how === 'copy') await this.standby.copy(this.primary);
    else await this.standby.rewind(this.primary);
    await this.standby.start();
    await this.replicates();
    // Only now: until it has caught up there is nobody to wait for.
    await this.waitForStandby(this.synchronous);
    await this.replicates();
  }

  /** Resolves when the standby has all that the primary has written by now, and is waited for where it should be. */
  async replicates(): Promise<void> {
    const [row] = await this.primary.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn');
    await until(
      async () => {
        const rows = await this.primary.query<{ found: boolean }>(
          `SELECT r.flush_lsn >= $1::pg_lsn AND r.state = 'streaming'
             AND (r.sync_state = 'sync') = (current_setting('synchronous_standby_names') <> '') AS found
           FROM pg_stat_replication r WHERE r.application_name = $2`,
          [row?.lsn, this.standby.name],
        );
        return rows[0]?.found === true;
      },
      { what: `${this.standby.name} to follow ${this.primary.name}`, timeoutMs: 60_000, everyMs: 150 },
    );
  }
}

async function isWritable(member: ReplicatedPairMember): Promise<boolean> {
  const rows = await member.query<{ recovery: boolean }>('SELECT pg_is_in_recovery() AS recovery');
  return rows[0]?.recovery === false;
}

/** `*`: whichever other server follows is waited for. */
async function setSynchronous(member: ReplicatedPairMember, wait: boolean): Promise<void> {
  await member.query(`ALTER SYSTEM SET synchronous_standby_names = '${wait ? '*' : ''}'`);
  await member.query('SELECT pg_reload_conf()');
}
