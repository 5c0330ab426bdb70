import { type Action } from '../domain/action';
import { actionId, parseWrittenForm, subjectRange } from '../domain/action-key';
import { Problem } from '../domain/problem';
import { STATE_CODES, type StoredState } from '../domain/states';
import { ACTION_COLUMNS, actionOfRow, type ActionRow, ms, OPEN_JOIN } from './action-row';
import { type Database } from './database';

/** All given conditions must hold. */
export interface ActionSearch {
  /** The written form. */
  key?: string;
  subject?: string;
  account?: string;
  operation?: string;
  state?: StoredState;
  reference?: string;
  /** The event's identity (`EventName.id`). */
  eventId?: string;
  /** Created at or after, milliseconds. */
  from?: number;
  /** Created before, milliseconds. */
  to?: number;
  limit: number;
  cursor?: string;
}

/** What a page is ordered by: identity, when an open action is due, or when an action was created. */
type Order = 'id' | 'due' | 'created';

/** Where a page begins in its order. */
interface Cursor {
  by: Order;
  /** Milliseconds; 0 in the order by identity. */
  at: number;
  id: string;
}

interface Source {
  /** A FROM clause that offers `id` and, where it orders by time, `at`; already in the order of the page. */
  sql: string;
  order: string;
  cursorAt: string | null;
}

const encodeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url');

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function orderOf({ key, reference, eventId, subject, state }: ActionSearch): Order {
  if (key !== undefined || reference !== undefined || eventId !== undefined || subject !== undefined) return 'id';
  return state !== undefined && state !== 'confirmed' ? 'due' : 'created';
}

function decodeCursor(text: string | undefined, order: Order): Cursor | null {
  if (text === undefined) return null;
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString()) as Cursor;
    if (UUID.test(cursor.id) && Number.isFinite(cursor.at) && cursor.by === order) return cursor;
  } catch {
    // refused below, like every other text that no page ended with
  }
  throw new Problem('invalid_request', 'This cursor is not one that a page ended with.', {
    field: 'cursor',
    hint: 'Send the nextCursor of the page before, with the same conditions.',
  });
}

class Parameters {
  readonly values: unknown[] = [];
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

const moment = (parameter: string): string => `to_timestamp(${parameter}::float8 / 1000)`;

/** The narrowest way in that the conditions allow. Each is one index; the rest is filtered. */
function sourceOf(search: ActionSearch, workspace: string, cursor: Cursor | null, p: Parameters): Source {
  const byId = (table: string, column: string, where: string): Source => {
    const after = cursor === null ? '' : `AND ${column} > ${p.add(cursor.id)}::uuid`;
    return {
      sql: `(SELECT DISTINCT ${column} AS id FROM ${table} WHERE workspace_no = ${workspace} AND ${where} ${after}) s`,
      order: 's.id',
      cursorAt: null,
    };
  };
  if (search.key !== undefined) {
    return byId('action_ledger.actions', 'id', `id = ${p.add(actionId(parseWrittenForm(search.key)))}::uuid`);
  }
  if (search.reference !== undefined) {
    return byId('action_ledger.action_references', 'action_id', `reference = ${p.add(search.reference)}`);
  }
  if (search.eventId !== undefined) {
    return byId('action_ledger.event_claims', 'action_id', `event_id = ${p.add(search.eventId)}::uuid`);
  }
  if (search.subject !== undefined) {
    const { from, to } = subjectRange(search.subject);
    return byId('action_ledger.actions', 'id', `id BETWEEN ${p.add(from)}::uuid AND ${p.add(to)}::uuid`);
  }
  if (orderOf(search) === 'due' && search.state !== undefined) {
    const from = cursor === null ? '' : `AND (due_at, id) > (${moment(p.add(cursor.at))}, ${p.add(cursor.id)}::uuid)`;
    return {
      sql: `(SELECT id, due_at AS at FROM action_ledger.open_actions WHERE workspace_no = ${workspace}
        AND state = ${p.add(STATE_CODES[search.state])} ${from}) s`,
      order: 's.at, s.id',
      cursorAt: ms('s.at'),
    };
  }
  // Newest first, operation by operation: each is one run through the end of an index.
  const before =
    cursor?.at === undefined
      ? ''
      : `AND (t.created_at, t.id) < (${moment(p.add(cursor.at))}, ${p.add(cursor.id)}::uuid)`;
  const named = search.operation === undefined ? '' : `AND n.name = ${p.add(search.operation)}`;
  const confirmed = search.state === 'confirmed' ? `AND t.state = ${STATE_CODES.confirmed}` : '';
  return {
    sql: `(SELECT c.id, c.at FROM action_ledger.operations n CROSS JOIN LATERAL (
      SELECT t.id, t.created_at AS at FROM action_ledger.actions t
      WHERE t.workspace_no = ${workspace} AND t.operation_no = n.no ${before} ${confirmed}
        ${search.account === undefined ? '' : `AND t.account = ${p.add(search.account)}`}
        ${search.from === undefined ? '' : `AND t.created_at >= ${moment(p.add(search.from))}`}
        ${search.to === undefined ? '' : `AND t.created_at < ${moment(p.add(search.to))}`}
      ORDER BY t.created_at DESC, t.id DESC LIMIT ${p.add(search.limit + 1)}) c
      WHERE n.workspace_no = ${workspace} ${named}) s`,
    order: 's.at DESC, s.id DESC',
    cursorAt: ms('s.at'),
  };
}

/** One page of actions, and where the next one begins. */
export async function searchActions(
  database: Database,
  workspaceNo: number,
  search: ActionSearch,
): Promise<{ actions: Action[]; nextCursor: string | null }> {
  const p = new Parameters();
  const order = orderOf(search);
  const workspace = p.add(workspaceNo);
  const source = sourceOf(search, workspace, decodeCursor(search.cursor, order), p);
  const conditions = [
    `a.workspace_no = ${workspace}`,
    ...(search.subject === undefined ? [] : [`a.subject = ${p.add(search.subject)}`]),
    ...(search.account === undefined ? [] : [`a.account = ${p.add(search.account)}`]),
    ...(search.state === undefined ? [] : [`a.state = ${p.add(STATE_CODES[search.state])}`]),
    ...(search.from === undefined ? [] : [`a.created_at >= ${moment(p.add(search.from))}`]),
    ...(search.to === undefined ? [] : [`a.created_at < ${moment(p.add(search.to))}`]),
    ...(search.operation === undefined
      ? []
      : [
          `a.operation_no = (SELECT n.no FROM action_ledger.operations n
            WHERE n.workspace_no = ${workspace} AND n.name = ${p.add(search.operation)})`,
        ]),
    ...(search.reference === undefined ? [] : [`${p.add(search.reference)} = ANY(a.effect_references)`]),
  ];
  const { rows } = await database.query<ActionRow & { cursor_at: number | null }>(
    `SELECT ${ACTION_COLUMNS}, ${source.cursorAt ?? 'NULL'} AS cursor_at FROM ${source.sql}
     JOIN action_ledger.actions a ON a.workspace_no = ${workspace} AND a.id = s.id ${OPEN_JOIN}
     WHERE ${conditions.join(' AND ')} ORDER BY ${source.order} LIMIT ${p.add(search.limit + 1)}`,
    p.values,
  );
  const page = rows.slice(0, search.limit);
  const last = rows.length > page.length ? page.at(-1) : undefined;
  return {
    actions: page.map(actionOfRow),
    nextCursor: last === undefined ? null : encodeCursor({ by: order, at: last.cursor_at ?? 0, id: last.id }),
  };
}
