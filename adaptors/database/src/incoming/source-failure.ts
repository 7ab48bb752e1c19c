import { ApplyError } from '@fds/adaptor-sdk';

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** What the drivers say without a code when the database goes away, or is not there. */
const lostConnection =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|ConnectionFailed/i;

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'KnexTimeoutError';

/** Did the row come into being between the search for it and the insert? */
export const isDuplicate = (error: unknown): boolean =>
  ['23505', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(codeOf(error));

/**
 * What a failure of the source database means for an event: data that does not fit is final, a missing table or column
 * is a fault of the configuration, and an
 * unreachable database, one that cannot be written now, or a conflict between transactions is waited for.
 * SQLSTATE classes of PostgreSQL; result codes of SQLite.
 */
export const toApplyError = (error: unknown): ApplyError => {
  if (error instanceof ApplyError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  if (/^(22|23)[0-9A-Z]{3}$/.test(code) || code.startsWith('SQLITE_CONSTRAINT') || code === 'SQLITE_MISMATCH') {
    return new ApplyError(message, { kind: 'DATA', cause: error });
  }
  if (/^(3D|3F|42)[0-9A-Z]{3}$/.test(code) || code === 'SQLITE_ERROR') {
    return new ApplyError(message, { kind: 'CONFIGURATION', cause: error });
  }
  const passes =
    /^(08|40|53|57|28)[0-9A-Z]{3}$/.test(code) ||
    ['25006', '55P03'].includes(code) ||
    /^E[A-Z_]+$/.test(code) ||
    /^SQLITE_(BUSY|LOCKED|CANTOPEN|IOERR|FULL|READONLY)/.test(code) ||
    lostConnection.test(message) ||
    isTimeout(error);
  return new ApplyError(message, { kind: 'SOURCE', retry: passes ? 'UNTIL_IT_WORKS' : 'A_FEW_TIMES', cause: error });
};
