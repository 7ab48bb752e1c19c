import type { Knex } from 'knex';

const readOnly = new Set([
  '25006',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_READ_ONLY_MODE',
  'MSSQL_3906',
  'ORA-16000',
]);

const codeOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return '';
  const { number, code } = error as { readonly number?: unknown; readonly code?: unknown };
  if (typeof number === 'number') return `MSSQL_${number}`;
  return typeof code === 'string' ? code : '';
};

/** Does the database, or this connection to it, take no writes? */
export const isReadOnly = (error: unknown): boolean =>
  readOnly.has(codeOf(error)) || codeOf(error).startsWith('SQLITE_READONLY');

/** The pool closes a connection with this mark instead of using it again. */
export const markUnusable = (connection: object, error: unknown): void => {
  Object.assign(connection, { __knex__disposed: error });
};

/**
 * Runs the work of a transaction. A connection that takes no writes is not used again: after a failover it may lead to the
 * former server, and its settings and the rights of its file are those of the time when it was opened.
 */
export const withWritable = async <Result>(
  transaction: Knex.Transaction,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (isReadOnly(error)) markUnusable((await transaction.client.acquireConnection()) as object, error);
    throw error;
  }
};
