#!/usr/bin/env node
import { Command, InvalidArgumentError } from 'commander';

import { runCommand } from './run-command';
import { serve } from './serve';
import { VERSION } from './version';

const program = new Command('action-ledger')
  .description('Decides in PostgreSQL whether an action may be carried out, and keeps what became of it.')
  .version(VERSION)
  .showHelpAfterError('(add --help for what there is)');

program
  .command('serve')
  .description('Run the ledger: answer claims and receipts over HTTP until told to end (Ctrl-C or SIGTERM).')
  .option('--port <number>', 'port to listen on; 0 takes a free one', port, 8787)
  .option('--host <address>', 'address to listen on; 0.0.0.0 is every network of this machine', '127.0.0.1')
  .option('--data <folder>', 'folder of the embedded PostgreSQL; not used with DATABASE_URL', './data')
  .option('--init', 'make a new, empty ledger where there is none, and bring an older one up to date', false)
  .addHelpText('after', ENVIRONMENT())
  .action(runCommand(serve));

function ENVIRONMENT(): string {
  return `
Environment:
  DATABASE_URL           PostgreSQL 14 or newer, e.g. postgres://ledger:…@db:5432/ledger (several hosts: host1,host2).
                         Without it, serve runs a PostgreSQL of its own in the data folder.
  DATABASE_DIRECT_URL    the same database without a pooler in between, for notifications
  ACTION_LEDGER_API_KEY  a key of your own with all scopes for the workspace "default"
  LOG_LEVEL              trace, debug, info, warn, error or silent; default info

A new ledger is made only with --init: an empty one by mistake would let every action proceed again.`;
}

function port(text: string): number {
  const number = Number(text);
  if (!/^\d{1,5}$/.test(text) || number > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return number;
}

void program.parseAsync();
