#!/usr/bin/env node
import { Command, InvalidArgumentError } from 'commander';

import { eraseCommand } from './erase';
import { keyCommands } from './keys';
import { migrateCommand } from './migrate';
import { operationCommands } from './operations';
import { runCommand } from './run-command';
import { serve } from './serve';
import { VERSION } from './version';

const ENVIRONMENT = `
Environment:
  DATABASE_URL           PostgreSQL 14 or newer, e.g. postgres://ledger:…@db:5432/ledger (several hosts: host1,host2).
                         Without it, serve runs a PostgreSQL of its own in the data folder.
  DATABASE_DIRECT_URL    the same database without a pooler in between, for notifications
  REDIS_URL              Redis for waking claims that wait in other replicas, where notifications cannot (optional)
  ACTION_LEDGER_API_KEY  a key of your own with all scopes for the workspace "default"
  ACTION_LEDGER_RETENTION_SECONDS
                         how often details are looked for that are due to be erased; default 600
  LOG_LEVEL              trace, debug, info, warn, error or silent; default info

A new ledger is made only with --init: an empty one by mistake would let every action proceed again.`;

const program = new Command('action-ledger')
  .description('Decides in PostgreSQL whether an action may be carried out, and keeps what became of it.')
  .version(VERSION)
  .showHelpAfterError('(add --help for what there is)');

const dataOption = (command: Command): Command =>
  command.option('--data <folder>', 'folder of the embedded PostgreSQL; not used with DATABASE_URL', './data');

dataOption(program.command('serve'))
  .description('Run the ledger: answer claims and receipts over HTTP until told to end (Ctrl-C or SIGTERM).')
  .option('--port <number>', 'port to listen on; 0 takes a free one', port, 8787)
  .option('--host <address>', 'address to listen on; 0.0.0.0 is every network of this machine', '127.0.0.1')
  .option('--init', 'make a new, empty ledger where there is none, and bring an older one up to date', false)
  .addHelpText('after', ENVIRONMENT)
  .action(runCommand(serve));

dataOption(program.command('migrate'))
  .description(
    "Bring an existing ledger's tables up to this version. Make a backup first; end `serve` on a data folder.",
  )
  .option('--init', 'make a new, empty ledger where there is none', false)
  .action(runCommand(migrateCommand));

keyCommands(program.command('keys').description('Make, list and revoke API keys.'), dataOption);
eraseCommand(dataOption(program.command('erase')));
operationCommands(program.command('operations').description('Show and set what operations allow.'), dataOption);

function port(text: string): number {
  const number = Number(text);
  if (!/^\d{1,5}$/.test(text) || number > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return number;
}

for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) {
  // 2 is a command that was not understood, as with other Unix tools; commander's own choice would be 1.
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

void program.parseAsync();
