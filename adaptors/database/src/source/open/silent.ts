import type { Knex } from 'knex';

/** knex writes nothing to the console: failures are thrown, and the catching code logs them. */
const silentLog: Knex.Logger = {
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined,
  deprecate: () => undefined,
};

/** Configuration that is the same for every database. */
export const usualConfig = {
  log: silentLog,
  /** Errors are logged and reported, so they contain the statement but not its values. */
  compileSqlOnError: false,
  acquireConnectionTimeout: 10_000,
};

export const connectTimeoutMs = 10_000;

/** A statement that waits longer for a lock fails. Its event waits without a connection, so other tables have it. */
export const lockTimeoutSeconds = 3;
