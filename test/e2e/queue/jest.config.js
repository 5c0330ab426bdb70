'use strict';

const { modeOf } = require('../jest.shared');

module.exports = modeOf({
  displayName: 'e2e queue mode',
  testMatch: ['<rootDir>/queue/*.test.ts', '<rootDir>/both-modes/*.test.ts'],
  globalSetup: '<rootDir>/stack/start-queue.ts',
});
