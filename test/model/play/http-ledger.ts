import { SCOPES } from '../../../ledger-service/src/store/api-keys';
import { RunningService } from '../../service/http/running-service';
import { KEY_NAME } from '../reference/reconciliation';
import { HttpCalls } from './http-calls';
import { type Answered, type LedgerUnderTest, type Request } from './ledger-under-test';

/** A moment as the service's answers have it, in SQL. */
const ISO = (moment: string): string =>
  `to_char(date_trunc('milliseconds', ${moment}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const OF_ACTION = `id = $2 AND workspace_no = (SELECT no FROM action_ledger.workspaces WHERE name = $1)`;

const RUN_OUT = `
UPDATE action_ledger.open_actions SET due_at = least(due_at, clock_timestamp()) WHERE ${OF_ACTION} AND state = 2
RETURNING floor(extract(epoch FROM due_at) * 1000)::float8 AS at`;

const OPEN_ITEM = `
SELECT ${ISO('due_at')} AS "dueAt", ${ISO('review_by')} AS "reviewBy", ${ISO('settle_from')} AS "settleFrom", owner
FROM action_ledger.open_actions WHERE ${OF_ACTION}`;

const AGE_ACTIONS = `
UPDATE action_ledger.actions SET since = since - $1 * interval '1 ms', created_at = created_at - $1 * interval '1 ms',
  key_claimed_at = key_claimed_at - $1 * interval '1 ms' WHERE id = ANY($2::uuid[])`;

const AGE_OPEN = `
UPDATE action_ledger.open_actions SET since = since - $1 * interval '1 ms', due_at = due_at - $1 * interval '1 ms',
  review_by = review_by - $1 * interval '1 ms', settle_from = settle_from - $1 * interval '1 ms'
WHERE id = ANY($2::uuid[])`;

/** Passed time is made by moving what is stored back; the clocks of this machine are the ledger's too. */
export class HttpLedger implements LedgerUnderTest {
  readonly agesActions = true;
  private readonly calls: HttpCalls;

  private constructor(
    readonly service: RunningService,
    private readonly apiKeys: Record<string, string>,
  ) {
    this.calls = new HttpCalls(service.url);
  }

  /** On a database of its own, or as a further instance on the one of another. */
  static async start(beside?: HttpLedger): Promise<HttpLedger> {
    const service = await RunningService.start(beside?.service.databaseUrl);
    const key = async (workspace: string): Promise<string> =>
      (await service.ledger.apiKeys.create({ name: KEY_NAME, workspace, scopes: SCOPES })).secret;
    return new HttpLedger(service, { default: await key('default'), second: await key('second') });
  }

  async send({ workspace, method, path, body }: Request): Promise<Answered> {
    const from = Date.now();
    const answered = await this.calls.call(method, path, this.apiKeys[workspace]!, body);
    return { ...answered, clock: { from, to: Date.now() + 1 } };
  }

  async sweep(): Promise<Answered> {
    const from = Date.now();
    const swept = await this.service.ledger.sweep();
    return { status: 200, body: { swept }, clock: { from, to: Date.now() + 1 } };
  }

  async letLeaseRunOut(workspace: string, actionId: string): Promise<number> {
    const [row] = await this.service.sql<{ at: number }>(RUN_OUT, [workspace, actionId]);
    if (row === undefined) throw new Error('There is no lease to run out');
    return row.at;
  }

  async letPass(ms: number, actionIds: readonly string[]): Promise<void> {
    await this.service.sql(AGE_ACTIONS, [ms, actionIds]);
    await this.service.sql(AGE_OPEN, [ms, actionIds]);
  }

  async openItem(workspace: string, actionId: string): Promise<unknown> {
    const [row] = await this.service.sql<object>(OPEN_ITEM, [workspace, actionId]);
    return row ?? null;
  }

  stop(): Promise<void> {
    this.calls.end();
    return this.service.stop();
  }
}
