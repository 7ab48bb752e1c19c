// Tests run as compiled: what is tested is what ships. `npm test` builds first.
export default {
  testMatch: ['<rootDir>/**/dist/**/*.test.js'],
  testPathIgnorePatterns: ['/node_modules/'],
  modulePathIgnorePatterns: ['<rootDir>/.turbo'],
  testEnvironment: 'node',
  transform: {},
  testTimeout: 30_000,
};
