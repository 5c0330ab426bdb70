'use strict';

const path = require('node:path');

const swc = [
  '@swc/jest',
  {
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

/** The tests of one mode: which files, and what is started for them. */
exports.modeOf = ({ displayName, testMatch, globalSetup }) => ({
  rootDir: __dirname,
  displayName,
  roots: [__dirname],
  modulePathIgnorePatterns: [path.join(__dirname, 'n8n', '/')],
  testMatch,
  transform: { '\\.ts$': swc },
  globalSetup,
  globalTeardown: '<rootDir>/stack/stop-stack.ts',
  testEnvironment: '<rootDir>/stack/environment.ts',
  // One n8n, one ledger, two cores: the tests share them and run one after the other, in the process that holds them.
  maxWorkers: 1,
  testTimeout: 600_000,
});
