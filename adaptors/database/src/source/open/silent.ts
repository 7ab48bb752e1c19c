import type { Knex } from 'knex';

/** Failures are thrown, and logged by those who catch them: knex writes nothing to the console. */
const silentLog: Knex.Logger = {
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined,
  deprecate: () => undefined,
};

/** Configuration that is the same for every database. */
export const usualConfig = {
  log: silentLog,
  /** Errors are logged and reported: they name the statement, not its values. */
  compileSqlOnError: false,
  acquireConnectionTimeout: 10_000,
};

export const connectTimeoutMs = 10_000;
