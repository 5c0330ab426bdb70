import { actionId, claimToken } from '../reference/answers';
import { type Ask, type ClaimItem } from '../reference/asks';
import { type Made } from '../reference/expected';
import { type KeyName, keyAt, type World } from '../reference/world';
import { type Request } from './ledger-under-test';

/** An ask as a call of the HTTP interface; `null` where the ledger does it by itself (a sweep). */

const OTHER_WORKSPACE: Record<string, string> = { default: 'second', second: 'default' };

const iso = (at: number | undefined): string | undefined => (at === undefined ? undefined : new Date(at).toISOString());

/** What the ledger made up, as it was seen in an answer. */
export function seen(world: World, { name }: Made): string {
  const value = world.made[name];
  if (value === undefined) throw new Error(`No answer has shown the ${name} yet`);
  return value;
}

const without = (ask: object, ...names: string[]): object =>
  Object.fromEntries(Object.entries(ask).filter(([name]) => !names.includes(name)));

const partsOf = ({ account, subject, operation, version }: KeyName): object => ({
  ...(account === 'default' ? {} : { account }),
  subject,
  operation,
  ...(version === 1 ? {} : { version }),
});

function claimOf(world: World, item: ClaimItem | null): object {
  if (item === null) return { subject: '', operation: 'wrong by itself' };
  const { key, subjectVersion, event, ...rest } = item;
  return {
    ...partsOf(keyAt(world, key)),
    ...rest,
    ...(subjectVersion && { subjectVersion: { ...subjectVersion, occurredAt: iso(subjectVersion.occurredAt) } }),
    ...(event && { event: { ...event, occurredAt: iso(event.occurredAt) } }),
  };
}

export function requestOf(world: World, ask: Ask): Request | null {
  const post = (workspace: string, path: string, body: object): Request => ({ workspace, method: 'POST', path, body });
  if (ask.kind === 'sweep') return null;
  if (ask.kind === 'claims') {
    const { requestToken, items } = ask;
    return post(ask.workspace, '/v1/claims', { requestToken, claims: items.map((item) => claimOf(world, item)) });
  }
  if (ask.kind === 'ended') {
    return post(ask.workspace, '/v1/executions/ended', { holder: ask.holder, cause: ask.cause });
  }
  const key = keyAt(world, ask.key);
  const foreign = 'foreign' in ask && ask.foreign === true;
  const workspace = foreign ? OTHER_WORKSPACE[key.workspace]! : key.workspace;
  const token = (attempt: number): string => seen(world, claimToken(key, attempt));
  switch (ask.kind) {
    case 'register': {
      const { details, dueAt } = ask;
      return post(workspace, '/v1/actions', { actions: [{ ...partsOf(key), details, dueAt: iso(dueAt) }] });
    }
    case 'heartbeat':
      return post(workspace, '/v1/heartbeats', { heartbeats: [{ claimToken: token(ask.attempt) }] });
    case 'release': {
      const { claim } = ask;
      const release = 'attempt' in claim ? { claimToken: token(claim.attempt) } : { ...partsOf(key), ...claim };
      return post(workspace, '/v1/releases', { releases: [release] });
    }
    case 'receipt': {
      const receipt = without(ask, 'kind', 'key', 'attempt', 'foreign');
      return post(workspace, '/v1/receipts', { receipts: [{ claimToken: token(ask.attempt), ...receipt }] });
    }
    case 'resolve': {
      const body = { ...without(ask, 'kind', 'key'), nextCheckAt: iso(ask.nextCheckAt) };
      return post(workspace, `/v1/actions/${seen(world, actionId(key))}/resolution`, body);
    }
    case 'override': {
      return post(workspace, `/v1/actions/${seen(world, actionId(key))}/override`, without(ask, 'kind', 'key'));
    }
    case 'configure': {
      const { revision, change } = ask;
      return {
        workspace,
        method: 'PUT',
        path: `/v1/operations/${encodeURIComponent(key.operation)}`,
        body: { ...change, revision },
      };
    }
  }
}
