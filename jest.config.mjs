// Tests run as compiled: they test the code that ships. `npm test` builds first.
export default {
  // one PostgreSQL for the whole run, unless FDS_TEST_DATABASE_URL names another
  globalSetup: '<rootDir>/prisma/dist/testing-global-setup.js',
  globalTeardown: '<rootDir>/prisma/dist/testing-global-teardown.js',
  testMatch: ['<rootDir>/**/dist/**/*.test.js'],
  testPathIgnorePatterns: ['/node_modules/'],
  modulePathIgnorePatterns: ['<rootDir>/.turbo'],
  // the files of a worker share its modules: jest's own environment loads all modules again for each file
  testEnvironment: '<rootDir>/subgraphs/shared/testing/dist/realm/realm-environment.js',
  runtime: '<rootDir>/subgraphs/shared/testing/dist/realm/realm-runtime.js',
  transform: {},
  // generous: on a loaded machine a test that passes in 3 s can take 60 s
  testTimeout: 120_000,
};
