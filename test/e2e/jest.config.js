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

module.exports = {
  rootDir: __dirname,
  displayName: 'e2e',
  roots: [__dirname],
  modulePathIgnorePatterns: [path.join(__dirname, 'n8n', '/')],
  testMatch: ['<rootDir>/**/*.test.ts'],
  transform: { '\\.ts$': swc },
  globalSetup: '<rootDir>/stack/start-stack.ts',
  globalTeardown: '<rootDir>/stack/stop-stack.ts',
  testEnvironment: '<rootDir>/stack/environment.ts',
  // One n8n, one ledger, two cores: the tests share them and run one after the other, in the process that holds them.
  maxWorkers: 1,
  testTimeout: 120_000,
};
