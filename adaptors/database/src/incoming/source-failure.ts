import { ApplyError } from '@fds/adaptor-sdk';
import { ValueFault } from '../columns/column-value.js';
import { withoutValues } from './without-values.js';

const member = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>)[name] : undefined;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `code` of the driver. For SQL Server it is a number; for Oracle it is ORA and five digits. */
const codeOf = (error: unknown): string => {
  const number = member(error, 'number');
  return typeof number === 'number' ? `MSSQL_${number}` : textOf(member(error, 'code'));
};

/** SQLSTATE: the code in PostgreSQL, a separate member in MySQL. */
const sqlStateOf = (error: unknown): string => textOf(member(error, 'sqlState')) || codeOf(error);

/** Driver messages without a code for a database that is lost or not reachable. */
const lostConnection =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|ConnectionFailed|Connection lost|connection is in closed state/i;

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'KnexTimeoutError';

const duplicates: ReadonlySet<string> = new Set([
  '23505',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  'ER_DUP_ENTRY',
  'MSSQL_2627',
  'MSSQL_2601',
  'ORA-00001',
]);

/** Was the row inserted by another transaction between the search and the insert? */
export const isDuplicate = (error: unknown): boolean => duplicates.has(codeOf(error));

/** Errors of MySQL about data, without a specific SQLSTATE. */
const dataOfMysql =
  /^ER_(TRUNCATED_WRONG_VALUE|NO_DEFAULT_FOR|CHECK_CONSTRAINT|WARN_DATA|DATA_TOO_LONG|BAD_NULL|INVALID_JSON)/;
const passingOfMysql =
  /^(ER_LOCK_WAIT_TIMEOUT|ER_OPTION_PREVENTS_STATEMENT|ER_RECORD_FILE_FULL|ER_DISK_FULL|PROTOCOL_)/;
const dataOfMssql = /^MSSQL_(220|241|245|515|547|2601|2627|2628|8114|8115|8152)$/;
const configurationOfMssql = /^MSSQL_(207|208|229|230)$/;
const passingOfMssql = /^MSSQL_(1105|1205|1222|3906|4060|18456)$/;
const dataOfOracle = /^ORA-(00001|01400|01407|01438|01722|01840|01843|01861|02290|02291|02292|12899)$/;
const configurationOfOracle = /^ORA-(00904|00942|01031)$/;
const passingOfOracle = /^(ORA-(00054|00060|01017|01033|01034|01089|01653|03113|03114|12\d{3}|16000|28000)|NJS-5\d\d)$/;

const isData = (code: string, sqlState: string): boolean =>
  /^(22|23)[0-9A-Z]{3}$/.test(sqlState) ||
  code.startsWith('SQLITE_CONSTRAINT') ||
  code === 'SQLITE_MISMATCH' ||
  [dataOfMysql, dataOfMssql, dataOfOracle].some((codes) => codes.test(code));

const isConfiguration = (code: string, sqlState: string): boolean =>
  /^(3D|3F|42)[0-9A-Z]{3}$/.test(sqlState) ||
  code === 'SQLITE_ERROR' ||
  [configurationOfMssql, configurationOfOracle].some((codes) => codes.test(code));

const passes = (code: string, sqlState: string): boolean =>
  /^(08|40|53|57|28)[0-9A-Z]{3}$/.test(sqlState) ||
  ['25006', '55P03'].includes(sqlState) ||
  /^E(?!R_)[A-Z_]+$/.test(code) ||
  /^SQLITE_(BUSY|LOCKED|CANTOPEN|IOERR|FULL|READONLY)/.test(code) ||
  [passingOfMysql, passingOfMssql, passingOfOracle].some((codes) => codes.test(code));

/**
 * Converts a failure of the source database. Invalid data is final. A missing table or column is a fault of the
 * configuration. If the database is not reachable, cannot be written now, or has a conflict between transactions, the
 * adaptor waits and tries again. The function knows SQLSTATE classes of PostgreSQL and MySQL, result codes of SQLite,
 * and numbers of SQL Server and Oracle.
 */
export const toApplyError = (error: unknown): ApplyError => {
  if (error instanceof ApplyError) return error;
  const message = withoutValues(error instanceof Error ? error.message : String(error));
  const [code, sqlState] = [codeOf(error), sqlStateOf(error)];
  if (error instanceof ValueFault || isData(code, sqlState))
    return new ApplyError(message, { kind: 'DATA', cause: error });
  if (isConfiguration(code, sqlState)) return new ApplyError(message, { kind: 'CONFIGURATION', cause: error });
  const waits = passes(code, sqlState) || lostConnection.test(message) || isTimeout(error);
  return new ApplyError(message, { kind: 'SOURCE', retry: waits ? 'UNTIL_IT_WORKS' : 'A_FEW_TIMES', cause: error });
};
