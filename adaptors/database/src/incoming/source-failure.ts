import { ApplyError } from '@fds/adaptor-sdk';
import { ValueFault } from '../source/column-value.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import { isReadOnly } from '../source/read-only.js';
import { explainRefusal } from './refusal-title.js';
import { withoutValues } from '../configuration/without-values.js';

const member = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>)[name] : undefined;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * `code` of the driver. For SQL Server it is a number; for Oracle it is ORA and five digits. The driver of MySQL does not
 * know the names of two numbers of MariaDB: a value for a generated column, and a check.
 */
const codeOf = (error: unknown): string => {
  const number = member(error, 'number');
  if (typeof number === 'number') return `MSSQL_${number}`;
  const errno = member(error, 'errno');
  // an error of a storage engine: its number stands in the message
  if (errno === 1030 && /error 28\b/.test(textOf(member(error, 'message')))) return 'ER_DISK_FULL';
  if (errno === 1906 || errno === 4025) return `MYSQL_${errno}`;
  const code = textOf(member(error, 'code'));
  // SQLite has one code for many errors of a statement
  const isGenerated = code === 'SQLITE_ERROR' && /generated column/.test(textOf(member(error, 'message')));
  return isGenerated ? 'SQLITE_GENERATED_COLUMN' : code;
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

const conflicts: ReadonlySet<string> = new Set(['40P01', '40001', 'ER_LOCK_DEADLOCK', 'MSSQL_1205', 'ORA-00060']);

/** Did the database roll the transaction back because of another one, by a deadlock or a serialization failure? */
export const isConflict = (error: unknown): boolean => conflicts.has(codeOf(error));

const locks: ReadonlySet<string> = new Set(['55P03', 'ER_LOCK_WAIT_TIMEOUT', 'MSSQL_1222', 'ORA-00054']);

/** Did the statement wait too long for a lock of another transaction? */
export const isLocked = (error: unknown): boolean => locks.has(codeOf(error));

/**
 * A foreign key: the row that it refers to is absent, or another row refers to the row. SQL Server has one number for all
 * constraints, and names the kind in its message.
 */
const references = /^(23503|ER_(NO_REFERENCED_ROW|ROW_IS_REFERENCED)\w*|SQLITE_CONSTRAINT_FOREIGNKEY|ORA-0229[12])$/;
const isReference = (code: string, message: string): boolean =>
  references.test(code) || (code === 'MSSQL_547' && /FOREIGN KEY|REFERENCE/.test(message));

/** Errors of MySQL and MariaDB about data, without a specific SQLSTATE. */
const dataOfMysql =
  /^(MYSQL_(1906|4025)|(ER_)?WARN_DATA|ER_(TRUNCATED_WRONG_VALUE|NO_DEFAULT_FOR|CHECK_CONSTRAINT|CONSTRAINT_FAILED|DATA_TOO_LONG|BAD_NULL|INVALID_JSON|NO_PARTITION|VIEW_CHECK_FAILED|SIGNAL|\w*GENERATED_COLUMN))/;
const configurationOfMysql = /^ER_(NON_INSERTABLE_TABLE|NON_UPDAT(E)?ABLE_TABLE)/;
const passingOfMysql =
  /^(ER_LOCK_WAIT_TIMEOUT|ER_RECORD_FILE_FULL|ER_DISK_FULL|ER_ERROR_ON_WRITE|ER_QUERY_INTERRUPTED|ER_STATEMENT_TIMEOUT|PROTOCOL_)/;
const dataOfMssql = /^MSSQL_(220|241|245|515|547|2601|2627|2628|8114|8115|8152)$/;
const configurationOfMssql = /^MSSQL_(207|208|229|230)$/;
const passingOfMssql = /^MSSQL_(1105|1205|1222|4060|18456)$/;
const dataOfOracle = /^ORA-(00001|01400|01407|01438|01722|01840|01843|01861|02290|02291|02292|12899)$/;
const configurationOfOracle = /^ORA-(00904|00942|01031)$/;
const passingOfOracle = /^(ORA-(00054|00060|01017|01033|01034|01089|01653|03113|03114|12\d{3}|28000)|NJS-5\d\d)$/;

/** SQLSTATE classes of the standard and of PostgreSQL. A trigger may raise any other one for its own rule. */
const standardClass = /^(0[0-9A-Z]|2[0-9BDF]|3[489BDF]|4[024]|5[34578]|70|72|F0|HV|HY|HZ|IM|XA|XX)/;

/** Data, view with check option, exceptions of triggers and functions, and SQLSTATEs of an application. */
const dataState = /^(2[1237]|3[89]|44|45|54|P0)[0-9A-Z]{3}$/;

/** A policy refuses one row, not the table. */
const isPolicy = (message: string): boolean => message.includes('row-level security policy');

const isData = (code: string, sqlState: string, message: string): boolean =>
  dataState.test(sqlState) ||
  sqlState === '428C9' ||
  (sqlState === '42501' && isPolicy(message)) ||
  (/^[0-9A-Z]{5}$/.test(sqlState) && !/^E[A-Z]/.test(sqlState) && !standardClass.test(sqlState)) ||
  code.startsWith('SQLITE_CONSTRAINT') ||
  code === 'SQLITE_MISMATCH' ||
  code === 'SQLITE_GENERATED_COLUMN' ||
  [dataOfMysql, dataOfMssql, dataOfOracle].some((codes) => codes.test(code)) ||
  // RAISERROR and THROW of SQL Server, RAISE_APPLICATION_ERROR of Oracle
  /^(MSSQL_[5-9]\d{4,}|ORA-20\d{3})$/.test(code);

const isConfiguration = (code: string, sqlState: string): boolean =>
  /^(3D|3F|42)[0-9A-Z]{3}$/.test(sqlState) ||
  // a view that cannot be written
  ['55000', '0A000'].includes(sqlState) ||
  code === 'SQLITE_ERROR' ||
  code === 'SQLITE_AUTH' ||
  [configurationOfMysql, configurationOfMssql, configurationOfOracle].some((codes) => codes.test(code));

const passes = (code: string, sqlState: string): boolean =>
  /^(08|40|53|57|28)[0-9A-Z]{3}$/.test(sqlState) ||
  ['55P03', '55006', '70100'].includes(sqlState) ||
  /^E(?!R_)[A-Z_]+$/.test(code) ||
  /^SQLITE_(BUSY|LOCKED|CANTOPEN|IOERR|FULL)/.test(code) ||
  [passingOfMysql, passingOfMssql, passingOfOracle].some((codes) => codes.test(code));

/**
 * Converts a failure of the source database.
 *
 * - DATA: the database refuses this row. Final; the issue has a title for a steward. A row that a foreign key or a unique key
 *   refuses waits first, as long as others are applied: the row of the other table, or the change that frees the value, often
 *   comes later.
 * - CONFIGURATION: a right, a column or a table is missing. The event waits, and so do the others for this table.
 * - SOURCE: the database is not reachable, cannot be written now, or has a conflict between transactions. The event waits.
 * - An unknown failure is tried a few times, and is then final.
 *
 * The function knows SQLSTATE classes of PostgreSQL and MySQL, result codes of SQLite, and numbers of SQL Server and
 * Oracle.
 */
export const toApplyError = (error: unknown, metadata?: TableMetadata): ApplyError => {
  if (error instanceof ApplyError) return error;
  const message = withoutValues(error instanceof Error ? error.message : String(error));
  const [code, sqlState] = [codeOf(error), sqlStateOf(error)];
  const [column, constraint, detail] = ['column', 'constraint', 'detail'].map(
    (name) => textOf(member(error, name)) || undefined,
  );
  const explained = explainRefusal({ message, code, column, constraint, detail }, metadata);
  const refusal = {
    title: (error instanceof ValueFault ? error.title : undefined) ?? explained.title,
    ...(explained.properties.length > 0 ? { properties: explained.properties } : {}),
  };
  const table = metadata === undefined ? undefined : `${metadata.domain}:${metadata.version}`;
  if (error instanceof ValueFault || isData(code, sqlState, message)) {
    const keys = isReference(code, message) ? 'foreign' : isDuplicate(error) ? 'unique' : undefined;
    return new ApplyError(message, {
      kind: 'DATA',
      ...(keys === undefined ? {} : { retry: 'WHILE_OTHERS_WORK', waitsFor: table && `${keys} keys of ${table}` }),
      ...refusal,
      cause: error,
    });
  }
  if (isConfiguration(code, sqlState))
    return new ApplyError(message, { kind: 'CONFIGURATION', retry: 'UNTIL_IT_WORKS', waitsFor: table, cause: error });
  const waits = isReadOnly(error) || passes(code, sqlState) || lostConnection.test(message) || isTimeout(error);
  const retry = waits ? 'UNTIL_IT_WORKS' : 'A_FEW_TIMES';
  return new ApplyError(message, { kind: 'SOURCE', retry, ...(waits ? {} : refusal), cause: error });
};

/** Did the failed transaction leave nothing for certain? Where the connection was lost, the database may have committed it. */
export const isUndone = (error: unknown): boolean =>
  isConflict(error) || isLocked(error) || toApplyError(error).retry !== 'UNTIL_IT_WORKS';
