import { type Command } from 'commander';

import { DEFAULT_ACCOUNT, normalisePart, writtenForm } from '../domain/action-key';
import { eraseSubject, type ErasedAction } from '../store/erase-subject';
import { CommandError } from './command-error';
import { runCommand } from './run-command';
import { table } from './table';
import { workspaceNo } from './workspace-no';
import { type LedgerChoice, withLedger } from './with-ledger';

interface EraseOptions extends LedgerChoice {
  workspace: string;
  account: string;
  subject: string;
  includeUndecided: boolean;
  dryRun: boolean;
}

/** `action-ledger erase` */
export function eraseCommand(command: Command): void {
  command
    .description('Erase what people wrote and destinations answered about one subject. Its actions stay what they are.')
    .requiredOption('--subject <id>', 'the subject, e.g. workshop-842')
    .option('--account <name>', 'whose subject it is', DEFAULT_ACCOUNT)
    .option('--workspace <name>', "the ledger's tenant", 'default')
    .option('--include-undecided', 'also of actions that are in progress or unknown', false)
    .option('--dry-run', 'only say what would be erased', false)
    .addHelpText(
      'after',
      '\nWhat is erased is gone at once and for good. The actions with their states, references and digests stay: nothing\n' +
        'that was done is ever let through again. Copies in backups stay until those are deleted.',
    )
    .action(runCommand((options: EraseOptions) => withLedger(options, (ledger) => erase(ledger, options))));
}

async function erase(
  { database }: { database: Parameters<typeof eraseSubject>[0] },
  options: EraseOptions,
): Promise<void> {
  const account = normalisePart('account', options.account);
  const subject = normalisePart('subject', options.subject);
  const { dryRun, includeUndecided: alsoUndecided } = options;
  const no = await workspaceNo(database, options.workspace);
  const actions = await eraseSubject(database, { workspaceNo: no, account, subject, alsoUndecided, dryRun });
  if (actions.length === 0) {
    throw new CommandError(
      `There is no action of the subject "${subject}" of the account "${account}" in the workspace "${options.workspace}". Nothing was erased.`,
    );
  }
  process.stdout.write(said(actions, dryRun));
}

function said(actions: readonly ErasedAction[], dryRun: boolean): string {
  const sum = (of: (action: ErasedAction) => number): number => actions.reduce((all, action) => all + of(action), 0);
  const [erased, kept] = [sum((action) => action.erased), sum((action) => action.kept)];
  const lines = table(
    ['Action', 'State', dryRun ? 'Would be erased' : 'Erased', 'Kept'],
    actions.map(({ key, state, erased: gone, kept: left }) => [writtenForm(key), state, String(gone), String(left)]),
  );
  const result = dryRun
    ? `Nothing was erased: ${rows(erased)} would be.`
    : `${rows(erased)} ${erased === 1 ? 'was' : 'were'} erased for good.`;
  const undecided =
    kept === 0
      ? ''
      : `${rows(kept)} ${kept === 1 ? 'is' : 'are'} kept, since the action is not decided and its owner needs them. Run it again when it is, or add --include-undecided.\n`;
  return `${lines}\n${result} The ${actions.length === 1 ? 'action stays' : `${actions.length} actions stay`}, with state, references and digests.\n${undecided}`;
}

const rows = (count: number): string => `${count} ${count === 1 ? 'step’s details' : 'steps’ details'}`;
