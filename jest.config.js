'use strict';

const swc = [
  '@swc/jest',
  {
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

const shared = {
  rootDir: __dirname,
  testEnvironment: 'node',
  transform: { '\\.ts$': swc },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/ledger-service/dist/', '<rootDir>/.cache/'],
};

module.exports = {
  maxWorkers: 2,
  // Starting databases and engines on a busy machine takes its time; a hang is still found.
  testTimeout: 30_000,
  projects: [
    {
      ...shared,
      displayName: 'service',
      testMatch: ['<rootDir>/test/service/**/*.test.ts'],
      globalSetup: '<rootDir>/test/setup/start-postgres.ts',
      globalTeardown: '<rootDir>/test/setup/stop-postgres.ts',
    },
    {
      ...shared,
      displayName: 'model',
      testMatch: ['<rootDir>/test/model/**/*.test.ts'],
      globalSetup: '<rootDir>/test/setup/start-postgres.ts',
      globalTeardown: '<rootDir>/test/setup/stop-postgres.ts',
    },
    {
      ...shared,
      // The parts of the fault suite; the faults themselves are made by npm run test:faults.
      displayName: 'faults',
      testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
      globalSetup: '<rootDir>/test/setup/start-postgres.ts',
      globalTeardown: '<rootDir>/test/setup/stop-postgres.ts',
    },
    {
      ...shared,
      displayName: 'nodes',
      testMatch: ['<rootDir>/test/nodes/**/*.test.ts'],
      setupFilesAfterEnv: ['<rootDir>/test/nodes/remove-user-folder.ts'],
    },
    {
      ...shared,
      displayName: 'demo',
      testMatch: ['<rootDir>/test/demo/**/*.test.ts'],
    },
    {
      ...shared,
      displayName: 'destinations',
      testMatch: ['<rootDir>/test/destinations/**/*.test.ts'],
    },
  ],
};
