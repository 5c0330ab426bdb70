import { type Command, InvalidArgumentError } from 'commander';

import { type ApiKey, type Scope, SCOPES } from '../store/api-keys';
import { CommandError } from './command-error';
import { type LedgerChoice, withLedger } from './with-ledger';
import { runCommand } from './run-command';
import { table } from './table';

interface CreateOptions extends LedgerChoice {
  name: string;
  workspace: string;
  scope: Scope[];
  expires?: Date;
}

/** `action-ledger keys …` */
export function keyCommands(keys: Command, dataOption: (command: Command) => Command): void {
  dataOption(keys.command('create'))
    .description('Make an API key. It is shown once and stored only as a hash.')
    .requiredOption('--name <name>', 'what the key is for; shown in lists and as the one who resolved an action', label)
    .requiredOption('--scope <scopes...>', `what it may do: ${SCOPES.join(', ')}`, scopes)
    .option('--workspace <name>', 'whose ledger it opens; made if it is new', label, 'default')
    .option('--expires <time>', 'when it ends, e.g. 2027-01-31T00:00:00Z or 90d; without it never', expiry)
    .action(
      runCommand((options: CreateOptions) =>
        withLedger(options, async ({ apiKeys }) => {
          const { name, workspace, scope, expires } = options;
          const { secret, key } = await apiKeys.create({
            name,
            workspace,
            scopes: scope,
            ...(expires !== undefined && { expiresAt: expires }),
          });
          process.stderr.write(
            `Key ${key.no} "${key.name}" for workspace "${key.workspace}". It is shown only this once:\n`,
          );
          process.stdout.write(`${secret}\n`);
        }),
      ),
    );

  dataOption(keys.command('list'))
    .description('Show which keys there are, without their secrets.')
    .option('--json', 'as JSON', false)
    .action(
      runCommand((options: LedgerChoice & { json: boolean }) =>
        withLedger(options, async ({ apiKeys }) => {
          const found = await apiKeys.list();
          process.stdout.write(options.json ? `${JSON.stringify(found, null, 2)}\n` : keyTable(found));
        }),
      ),
    );

  dataOption(keys.command('revoke'))
    .description('End a key. Running services refuse it within seconds.')
    .argument('<number>', "the key's number in the list", keyNumber)
    .action(
      runCommand((no: number, options: LedgerChoice) =>
        withLedger(options, async ({ apiKeys }) => {
          if (!(await apiKeys.revoke(no))) {
            throw new CommandError(`There is no key ${no}. Nothing was changed. See: action-ledger keys list`);
          }
          process.stdout.write(`Key ${no} is revoked.\n`);
        }),
      ),
    );
}

function keyTable(keys: readonly ApiKey[]): string {
  const day = (date: Date | null): string => date?.toISOString().slice(0, 16).replace('T', ' ') ?? '';
  return table(
    ['No', 'Name', 'Workspace', 'Scopes', 'Made', 'Expires', 'Revoked'],
    keys.map((key) => [
      String(key.no),
      key.name,
      key.workspace,
      key.scopes.join(' '),
      day(key.createdAt),
      day(key.expiresAt) || 'never',
      day(key.revokedAt),
    ]),
  );
}

// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

function label(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > 200 || CONTROL.test(trimmed)) {
    throw new InvalidArgumentError('It must have 1 to 200 characters and no control characters.');
  }
  return trimmed;
}

function scopes(text: string, before: Scope[] = []): Scope[] {
  const added = text.split(/[\s,]+/).filter(Boolean);
  const wrong = added.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (wrong !== undefined) throw new InvalidArgumentError(`"${wrong}" is no scope; there are ${SCOPES.join(', ')}.`);
  return [...new Set([...before, ...(added as Scope[])])];
}

function expiry(text: string): Date {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const at = days === undefined ? new Date(text) : new Date(Date.now() + Number(days) * 86_400_000);
  const withZone = days !== undefined || /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text);
  if (!withZone || Number.isNaN(at.getTime())) {
    throw new InvalidArgumentError('It must be a time such as 2027-01-31T00:00:00Z, or a number of days such as 90d.');
  }
  if (at.getTime() <= Date.now()) throw new InvalidArgumentError('It must lie ahead.');
  return at;
}

function keyNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a number from the list.');
  return Number(text);
}
