// Tests run as compiled: what is tested is what ships. `npm test` builds first.
export default {
  // one PostgreSQL for the whole run, unless FDS_TEST_DATABASE_URL names another
  globalSetup: '<rootDir>/prisma/dist/testing-global-setup.js',
  globalTeardown: '<rootDir>/prisma/dist/testing-global-teardown.js',
  testMatch: ['<rootDir>/**/dist/**/*.test.js'],
  testPathIgnorePatterns: ['/node_modules/'],
  modulePathIgnorePatterns: ['<rootDir>/.turbo'],
  testEnvironment: 'node',
  transform: {},
  testTimeout: 30_000,
};
