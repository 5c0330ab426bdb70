#!/usr/bin/env node
'use strict';

// A file that is there before anything was built, so that npm can link the command in a fresh checkout.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const main = join(__dirname, '../dist/cli/main.js');
if (!existsSync(main)) {
  console.error('action-ledger is not built yet. Run `npm run build` in the repository first.');
  process.exit(1);
}
require(main);
