import type { Command } from '../../ledger-service/src/domain/commands';
import { type State, STATES } from '../../ledger-service/src/domain/states';
import { type Row, TRANSITIONS } from '../../ledger-service/src/domain/transitions';

type Kind = Command['kind'];

/** What each command is, for a reader who does not know the API yet. */
const COMMANDS: Record<Kind, string> = {
  register: 'Records an action that nobody is at yet (`POST /v1/actions`).',
  claim: 'Asks for permission to carry the action out (`POST /v1/claims`, *Claim Action*).',
  heartbeat: 'The holder is still at it and asks for more time (`POST /v1/heartbeats`).',
  release: 'The holder says that it has sent nothing (`POST /v1/releases`).',
  receipt: 'The holder says what became of it (`POST /v1/receipts`, *Record Receipt*).',
  abandon:
    'The execution that held the action has ended without a receipt (`POST /v1/executions/ended`, *Record Receipt* for *A Crashed Execution*).',
  sweep: 'The service itself looks for leases that are over, once a second.',
  reconcile: 'Somebody found out what happened (`POST /v1/actions/{id}/resolution`, *Reconcile Unknown*).',
  override: 'Two people decide that a confirmation does not hold (`POST /v1/actions/{id}/override`).',
};

const INTRODUCTION = `# Transitions

Everything that can happen to an action, and nothing else. [Concepts](concepts.md) explains the words.

This page is written from the table that decides, \`ledger-service/src/domain/transitions.ts\`, by
\`npx tsx test/checks/write-transitions.ts\`. A test fails when the two differ.

How to read it:

- For a command and the state it meets, the **first row whose condition holds** decides.
- A pair without a row answers \`not_applicable\` (where a whole request is about one action: 409) and changes nothing.
- *same* means that the state stays. Evidence may be added all the same.
- A claim that would proceed is refused in two cases that are not in the table: **\`stale\`**, when something newer
  about the same business object was seen, and **\`too_old\`**, when its event lies before the operation's replay window.
- A look-up that found nothing does not count before the operation's settle time: 409 \`not_settled\`.
- **Contradictions** are kept with the action, whatever the answer: evidence of an effect is never refused.
`;

/** `docs/transitions.md`, as it follows from the table. */
export function transitionsPage(): string {
  const kinds = [...new Set(TRANSITIONS.map(({ command }) => command))];
  return [INTRODUCTION, overview(kinds), ...kinds.map(section)].join('\n');
}

function overview(kinds: Kind[]): string {
  const cell = (kind: Kind, state: State) =>
    [...new Set(rowsOf(kind).flatMap((row) => (row.from.includes(state) ? [row.answer] : [])))].map(code).join(', ');
  return [
    '## At a glance',
    '',
    'The answers that each command can get in each state. *none*: there is no action under the key yet.',
    '',
    line(['command', ...STATES]),
    line(['---', ...STATES.map(() => '---')]),
    ...kinds.map((kind) => line([`[${kind}](#${kind})`, ...STATES.map((state) => cell(kind, state))])),
    '',
  ].join('\n');
}

function section(kind: Kind): string {
  return [
    `## ${kind}`,
    '',
    COMMANDS[kind],
    '',
    line(['from', 'when', 'to', 'answer']),
    line(['---', '---', '---', '---']),
    ...rowsOf(kind).map((row) => line([from(row), row.when, to(row), code(row.answer)])),
    '',
  ].join('\n');
}

const rowsOf = (kind: Kind): Row[] => TRANSITIONS.filter(({ command }) => command === kind);

function from({ from: states }: Row): string {
  const stored = STATES.filter((state) => state !== 'none');
  return stored.every((state) => states.includes(state)) ? 'any' : states.map(stateName).join(', ');
}

function to({ to: state, again }: Row): string {
  if (state === 'same' || state === 'the state it was claimed from') return `*${state}*`;
  return `${stateName(state)}${again === true ? ', then the claim is decided once more' : ''}`;
}

const stateName = (state: State): string => (state === 'none' ? '*none*' : code(state));
const code = (text: string): string => `\`${text}\``;
const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
