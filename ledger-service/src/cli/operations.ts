import { type Command, InvalidArgumentError } from 'commander';

import { normalisePart } from '../domain/action-key';
import { DEFAULT_POLICY, type Operation, type OperationPolicy } from '../domain/policy';
import { type PolicyChange } from '../domain/policy-change';
import { OperationBody } from '../http/schemas/operations';
import { checker } from '../http/validation';
import { configureOperation } from '../store/configure-operation';
import { type Ledger } from '../store/ledger';
import { CommandError } from './command-error';
import { runCommand } from './run-command';
import { table } from './table';
import { workspaceNo } from './workspace-no';
import { type LedgerChoice, withLedger } from './with-ledger';

interface InWorkspace extends LedgerChoice {
  workspace: string;
}

const PAGE = 500;

/** `action-ledger operations …` */
export function operationCommands(operations: Command, dataOption: (command: Command) => Command): void {
  const inWorkspace = (command: Command): Command =>
    dataOption(command).option('--workspace <name>', 'whose operations', 'default');

  inWorkspace(operations.command('list'))
    .description('Show the operations that were named or set.')
    .option('--search <text>', 'only those whose name or description contains the text', '')
    .action(
      runCommand((options: InWorkspace & { search: string }) => withLedger(options, (ledger) => list(ledger, options))),
    );

  inWorkspace(operations.command('show'))
    .description('Show what one operation allows, as JSON.')
    .argument('<name>', 'the operation')
    .action(
      runCommand((given: string, options: InWorkspace) =>
        withLedger(options, async (ledger) => {
          const name = normalisePart('name', given);
          const found = await ledger.operations.find({
            workspaceNo: await workspaceNo(ledger.database, options.workspace),
            name,
          });
          print(found ?? { name, configured: false, revision: 1, policy: DEFAULT_POLICY });
        }),
      ),
    );

  inWorkspace(operations.command('set'))
    .description('Change what an operation allows. What is not named stays as it is.')
    .argument('<name>', 'the operation')
    .argument(
      '<settings...>',
      'name=value, e.g. leaseSeconds=600 owner=bookings@example.com safeRepeat=true owner=null',
    )
    .option('--revision <number>', 'the revision that you saw; needed to change what was set before', revisionNumber)
    .addHelpText('after', `\nSettings: ${Object.keys(DEFAULT_POLICY).join(', ')}`)
    .action(
      runCommand((name: string, settings: string[], options: InWorkspace & { revision?: number }) =>
        withLedger(options, async (ledger) => {
          const change = changeOf(settings);
          const no = await workspaceNo(ledger.database, options.workspace);
          const { revision = null } = options;
          print(await configureOperation(ledger.operations, { workspaceNo: no, name, change, revision }));
        }),
      ),
    );
}

async function list(ledger: Ledger, options: InWorkspace & { search: string }): Promise<void> {
  const no = await workspaceNo(ledger.database, options.workspace);
  const found: Operation[] = [];
  for (let after = ''; ;) {
    const page = await ledger.operations.list(no, options.search, after, PAGE);
    found.push(...page);
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined) break;
    after = last.name;
  }
  process.stdout.write(
    table(
      ['Name', 'Set', 'Revision', 'Lease', 'Owner', 'Description'],
      found.map(({ name, configured, revision, policy }) => [
        name,
        configured ? 'yes' : 'defaults',
        String(revision),
        `${policy.leaseSeconds} s`,
        policy.owner ?? '(nobody)',
        policy.description?.split('\n')[0] ?? '',
      ]),
    ),
  );
}

function print({
  name,
  configured,
  revision,
  policy,
}: Pick<Operation, 'name' | 'configured' | 'revision' | 'policy'>): void {
  process.stdout.write(`${JSON.stringify({ name, configured, revision, ...policy }, null, 2)}\n`);
}

/** The same checks as a request's body; only the values come as text. */
function changeOf(settings: readonly string[]): PolicyChange {
  const change: Record<string, unknown> = {};
  for (const setting of settings) {
    const [, name, text] = /^(\w+)=(.*)$/s.exec(setting) ?? [];
    if (name === undefined || text === undefined) {
      throw new CommandError(`"${setting}" is not of the form name=value. Nothing was changed.`);
    }
    if (!Object.hasOwn(DEFAULT_POLICY, name)) {
      throw new CommandError(
        `"${name}" is no setting. Nothing was changed. There are ${Object.keys(DEFAULT_POLICY).join(', ')}.`,
      );
    }
    change[name] = valueOf(name as keyof OperationPolicy, text);
  }
  const problem = checker(OperationBody)(change);
  if (problem !== null) throw problem;
  return change;
}

const TEXTS = new Set<keyof OperationPolicy>([
  'description',
  'keyRecipe',
  'destinationIdempotency',
  'lookUp',
  'owner',
  'escalateTo',
]);

function valueOf(name: keyof OperationPolicy, text: string): unknown {
  if (text === 'null') return null;
  if (TEXTS.has(name)) return text;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

function revisionNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('It must be a number, as operations show prints it.');
  return Number(text);
}
