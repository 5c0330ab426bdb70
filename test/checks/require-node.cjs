'use strict';

// Plain old syntax: this file must be readable by the very versions that it turns away.
var parts = process.versions.node.split('.').map(Number);
if (parts[0] < 22 || (parts[0] === 22 && parts[1] < 12)) {
  console.error(
    'Action Ledger needs Node.js 22.12 or newer; this is ' +
      process.version +
      '. Nothing was run.\n' +
      (process.platform === 'linux'
        ? 'On Linux (x64, arm64) Node.js 24 comes with the packages: run `npm ci` first, with optional dependencies, then this command again.'
        : 'Install Node.js 24 and run the command again.'),
  );
  process.exit(1);
}
