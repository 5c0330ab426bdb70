'use strict';

const { modeOf } = require('./jest.shared');

module.exports = modeOf({
  displayName: 'e2e',
  testMatch: ['<rootDir>/*.test.ts', '<rootDir>/editor/*.test.ts', '<rootDir>/both-modes/*.test.ts'],
  globalSetup: '<rootDir>/stack/start-single.ts',
});
