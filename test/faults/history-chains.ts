import { createHash } from 'node:crypto';

import { type Client } from 'pg';

interface Entry {
  id: string;
  subject: string;
  history_seq: number;
  workspace_no: number;
  action_no: string;
  seq: number;
  micros: string;
  kind: string;
  from_state: number;
  to_state: number;
  state: number;
  attempt: number;
  details_digest: string;
  facts: string;
  digest: string;
}

const HISTORY = `
SELECT a.id::text, a.subject, a.history_seq, a.state, h.workspace_no, h.action_no::text, h.seq,
  (extract(epoch FROM h.at) * 1000000)::bigint::text AS micros, h.kind, h.from_state, h.to_state, h.attempt,
  coalesce(encode(h.details_digest, 'hex'), '') AS details_digest, h.facts, encode(h.digest, 'hex') AS digest
FROM action_ledger.actions a
LEFT JOIN action_ledger.history h ON h.workspace_no = a.workspace_no AND h.action_no = a.no
ORDER BY a.workspace_no, a.no, h.seq`;

/** The subjects whose history has a gap, does not lead to the present state, or was written otherwise than its digests say. */
export async function brokenChains(client: Client): Promise<string[]> {
  const { rows } = await client.query<Entry>(HISTORY);
  const broken = new Set<string>();
  let before: Entry | null = null;
  for (const row of rows) {
    const first = before?.id !== row.id;
    if (first && before !== null && !isLast(before)) broken.add(before.subject);
    const previous = first ? sha256(Buffer.from(row.id.replaceAll('-', ''), 'hex')) : fromHex(before?.digest);
    const seq = first ? 1 : (before?.seq ?? 0) + 1;
    const from = first ? 0 : before?.to_state;
    if (row.seq !== seq || row.from_state !== from || digestOf(row, previous) !== row.digest) broken.add(row.subject);
    before = row;
  }
  if (before !== null && !isLast(before)) broken.add(before.subject);
  return [...broken];
}

const isLast = ({ seq, history_seq, to_state, state }: Entry): boolean => seq === history_seq && to_state === state;

function digestOf(row: Entry, previous: Buffer): string {
  const fields = [
    row.workspace_no,
    row.action_no,
    row.seq,
    row.micros,
    row.kind,
    row.from_state,
    row.to_state,
    row.attempt,
    row.details_digest,
    row.facts,
  ];
  return sha256(previous, Buffer.from(fields.join('|'))).toString('hex');
}

const fromHex = (digest: string | undefined): Buffer => Buffer.from(digest ?? '', 'hex');

function sha256(...parts: Buffer[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
