import { Client } from 'pg';

import { brokenChains } from './history-chains';
import { type Journal } from './load/journal';
import { OPERATION } from './load/settings';

/** What an injection, or a whole run, came to. */
export interface Verdict {
  actions: number;
  /** Keys with more than one effect. */
  duplicates: number;
  lostReceipts: number;
  lostEvents: number;
  /** Left unknown, with an owner and a time at which somebody looks at them. */
  unknownWithOwner: number;
  /** Everything else that must not be, in words. */
  wrong: string[];
}

interface Row {
  subject: string;
  state: number;
  attempt: number;
  history_seq: number;
  effect_references: string[];
  receipts: string;
  contradictions: string[];
  owner: string | null;
  due_at: Date | null;
}

/** The states by their numbers in the tables. */
const STATES = ['none', 'pending', 'in_progress', 'confirmed', 'failed', 'unknown'] as const;
const CONFIRMED = STATES.indexOf('confirmed');
const FAILED = STATES.indexOf('failed');
const UNKNOWN = STATES.indexOf('unknown');

const ACTIONS = `
SELECT a.subject, a.state, a.attempt, a.history_seq, a.effect_references, a.receipts, a.contradictions, coalesce(o.owner, p.owner) AS owner, o.due_at
FROM action_ledger.actions a
JOIN action_ledger.operations p ON p.workspace_no = a.workspace_no AND p.no = a.operation_no AND p.name = $2
LEFT JOIN action_ledger.open_actions o ON o.workspace_no = a.workspace_no AND o.id = a.id
WHERE a.subject = ANY($1::text[])`;

const EVENTS = `
SELECT DISTINCT a.subject, e.event_id FROM action_ledger.event_claims c
JOIN action_ledger.events e ON e.workspace_no = c.workspace_no AND e.id = c.event_id
JOIN action_ledger.actions a ON a.workspace_no = c.workspace_no AND a.id = c.action_id
WHERE a.subject = ANY($1::text[])`;

const IN_PROGRESS = `
SELECT count(*)::int AS count FROM action_ledger.actions a
JOIN action_ledger.operations p ON p.workspace_no = a.workspace_no AND p.no = a.operation_no AND p.name = $1
WHERE a.state = 2`;

/**
 * Compares what the ledger holds with what it acknowledged and with what really happened. Plain SQL and plain counting:
 * nothing of the service is asked about itself.
 */
export class Judge {
  private constructor(private readonly client: Client) {}

  static async open(databaseUrl: string): Promise<Judge> {
    const client = new Client({ connectionString: databaseUrl });
    // The next query says so itself.
    client.on('error', () => undefined);
    await client.connect();
    return new Judge(client);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /** @param atRest nobody is at work any more and every lease is over */
  async judge(journal: Journal, atRest: boolean): Promise<Verdict> {
    const subjects = [...journal.subjects];
    const { rows } = await this.client.query<Row>(ACTIONS, [subjects, OPERATION]);
    const stored = new Map(rows.map((row) => [row.subject, row]));
    const verdict: Verdict = {
      actions: rows.length,
      duplicates: 0,
      lostReceipts: lostReceipts(journal, stored),
      lostEvents: await this.lostEvents(journal, subjects),
      unknownWithOwner: 0,
      wrong: [...journal.surprises, ...grantedTwice(journal), ...(await unexplained(journal, stored, atRest))],
    };
    for (const subject of subjects) {
      const effects = journal.effectsOf(subject).length;
      if (effects > 1) verdict.duplicates++;
      const row = stored.get(subject);
      if (row === undefined) {
        if (effects > 0) verdict.wrong.push(`${subject} happened ${effects} times and the ledger does not know it`);
      } else this.judgeAction(row, effects, atRest, verdict);
    }
    return verdict;
  }

  /** How many leases are held now. */
  async inProgress(): Promise<number> {
    const { rows } = await this.client.query<{ count: number }>(IN_PROGRESS, [OPERATION]);
    return rows[0]?.count ?? 0;
  }

  /** Subjects whose history was changed, or is not whole. */
  async brokenChains(): Promise<string[]> {
    return brokenChains(this.client);
  }

  private judgeAction(row: Row, effects: number, atRest: boolean, verdict: Verdict): void {
    const { subject, state } = row;
    if (state === CONFIRMED && effects === 0) verdict.wrong.push(`${subject} is confirmed and never happened`);
    if (state === FAILED && effects > 0) verdict.wrong.push(`${subject} is failed and happened`);
    if (state !== UNKNOWN) {
      if (atRest && state !== CONFIRMED && state !== FAILED) verdict.wrong.push(`${subject} is left in state ${state}`);
      return;
    }
    if (row.owner === null || row.due_at === null)
      verdict.wrong.push(`${subject} is unknown without owner or due time`);
    else verdict.unknownWithOwner++;
  }

  private async lostEvents({ events }: Journal, subjects: string[]): Promise<number> {
    const { rows } = await this.client.query<{ subject: string; event_id: string }>(EVENTS, [subjects]);
    const kept = new Set(rows.map(({ subject, event_id }) => JSON.stringify([subject, event_id])));
    const acknowledged = new Set(events.map(({ subject, id }) => JSON.stringify([subject, id])));
    return [...acknowledged].filter((event) => !kept.has(event)).length;
  }
}

/** An acknowledged receipt must be among the action's marks, and a confirmed one must have decided it. */
function lostReceipts({ receipts }: Journal, stored: ReadonlyMap<string, Row>): number {
  return receipts.filter(({ subject, attempt, outcome, reference }) => {
    const row = stored.get(subject);
    if (row === undefined) return true;
    if (outcome === 'confirmed' && row.state !== CONFIRMED) return true;
    if (reference !== undefined && !row.effect_references.includes(reference)) return true;
    const marks = JSON.parse(row.receipts) as { attempt: number; outcome: string }[];
    return !marks.some((mark) => mark.attempt === attempt && mark.outcome === outcome);
  }).length;
}

/** What callers were answered, and what is stored now, must follow from some order of the calls: see test/model/checker. */
async function unexplained({ calls }: Journal, stored: ReadonlyMap<string, Row>, atRest: boolean): Promise<string[]> {
  // A fault that lets its own workers work may write no calls down.
  if (!atRest || calls.histories().size === 0) return [];
  for (const [subject, { state, attempt, history_seq }] of stored) {
    const answer = { state: STATES[state]!, attempt, historySeq: history_seq };
    await calls.record(subject, 'judge', { kind: 'read' }, () => Promise.resolve(answer));
  }
  return calls.check().refusals.map(({ readable }) => readable);
}

/** One attempt is one permission: two calls that were both told to proceed with it would both act. */
function grantedTwice({ grants }: Journal): string[] {
  const tokens = new Map<string, string>();
  return grants.flatMap(({ subject, attempt, requestToken }) => {
    const name = `${subject} attempt ${attempt}`;
    const first = tokens.get(name);
    tokens.set(name, first ?? requestToken);
    return first === undefined || first === requestToken ? [] : [`${name} was granted to two calls`];
  });
}
