import { describe, expect, it } from '@jest/globals';
import type { Retry } from '@fds/adaptor-sdk';
import { toApplyError } from './source-failure.js';
import { withoutValues } from '../configuration/without-values.js';

const mysqlFailure = (code: string, sqlState: string): Error => Object.assign(new Error(code), { code, sqlState });
const failure = (message: string, code?: string): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

const failureOfMssql = (number: number): Error => Object.assign(failure('x', 'EREQUEST'), { number });
const mssqlConflict = (kind: string): Error =>
  Object.assign(failure(`The INSERT statement conflicted with the ${kind} constraint "c"`, 'EREQUEST'), {
    number: 547,
  });

describe('toApplyError', () => {
  it.each<[string, Error, string, Retry]>([
    ['a value out of range', failure('out of range', '22003'), 'DATA', 'NEVER'],
    ['a duplicate', failure('duplicate key', '23505'), 'DATA', 'WHILE_OTHERS_WORK'],
    ['a missing table', failure('no such table', 'SQLITE_ERROR'), 'CONFIGURATION', 'UNTIL_IT_WORKS'],
    ['a refused connection', failure('connect ECONNREFUSED', 'ECONNREFUSED'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a name server that is not available', failure('getaddrinfo', 'EAI_AGAIN'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a connection that ends', failure('update x - Connection terminated unexpectedly'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a server that shuts down', failure('terminating connection', '57P01'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a standby', failure('cannot execute in a read-only transaction', '25006'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a deadlock', failure('deadlock detected', '40P01'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a full disk', failure('disk is full', 'SQLITE_FULL'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a missing file', failure('ConnectionFailed("Unable to open")'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a duplicate of MySQL', mysqlFailure('ER_DUP_ENTRY', '23000'), 'DATA', 'WHILE_OTHERS_WORK'],
    ['a value that MySQL cannot convert', mysqlFailure('ER_TRUNCATED_WRONG_VALUE_FOR_FIELD', 'HY000'), 'DATA', 'NEVER'],
    ['a missing column of MySQL', mysqlFailure('ER_BAD_FIELD_ERROR', '42S22'), 'CONFIGURATION', 'UNTIL_IT_WORKS'],
    ['a deadlock of MySQL', mysqlFailure('ER_LOCK_DEADLOCK', '40001'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a lock wait time-out of MySQL', mysqlFailure('ER_LOCK_WAIT_TIMEOUT', 'HY000'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a lost connection to MySQL', failure('closed', 'PROTOCOL_CONNECTION_LOST'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a foreign key of PostgreSQL', failure('no such row', '23503'), 'DATA', 'WHILE_OTHERS_WORK'],
    ['a foreign key of MySQL', mysqlFailure('ER_NO_REFERENCED_ROW_2', '23000'), 'DATA', 'WHILE_OTHERS_WORK'],
    ['a foreign key of SQLite', failure('x', 'SQLITE_CONSTRAINT_FOREIGNKEY'), 'DATA', 'WHILE_OTHERS_WORK'],
    ['a foreign key of SQL Server', mssqlConflict('FOREIGN KEY'), 'DATA', 'WHILE_OTHERS_WORK'],
    ['a check of SQL Server', mssqlConflict('CHECK'), 'DATA', 'NEVER'],
    ['a duplicate of SQL Server', failureOfMssql(2627), 'DATA', 'WHILE_OTHERS_WORK'],
    ['a duplicate of SQLite', failure('x', 'SQLITE_CONSTRAINT_UNIQUE'), 'DATA', 'WHILE_OTHERS_WORK'],
    ['a missing table of Oracle', failure('x', 'ORA-00942'), 'CONFIGURATION', 'UNTIL_IT_WORKS'],
    ['a missing value of Oracle', failure('x', 'ORA-01400'), 'DATA', 'NEVER'],
    ['a rule of a trigger', failure('business rule 17', 'P0001'), 'DATA', 'NEVER'],
    ['an SQLSTATE of an application', failure('business rule 17', 'AB123'), 'DATA', 'NEVER'],
    ['a SIGNAL of MySQL', mysqlFailure('ER_SIGNAL_EXCEPTION', '45000'), 'DATA', 'NEVER'],
    ['a value that an ENUM does not list', mysqlFailure('WARN_DATA_TRUNCATED', '01000'), 'DATA', 'NEVER'],
    ['a missing right', failure('permission denied for table t', '42501'), 'CONFIGURATION', 'UNTIL_IT_WORKS'],
    ['a policy', failure('new row violates row-level security policy for table "t"', '42501'), 'DATA', 'NEVER'],
    [
      'a missing right of MySQL',
      mysqlFailure('ER_TABLEACCESS_DENIED_ERROR', '42000'),
      'CONFIGURATION',
      'UNTIL_IT_WORKS',
    ],
    [
      'a view that cannot be written',
      failure('cannot insert into view "v"', '55000'),
      'CONFIGURATION',
      'UNTIL_IT_WORKS',
    ],
    ['a statement that takes too long', failure('canceling statement', '57014'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['an internal error of PostgreSQL', failure('surprise', 'XX000'), 'SOURCE', 'A_FEW_TIMES'],
    ['an unknown failure', failure('surprise'), 'SOURCE', 'A_FEW_TIMES'],
  ])('%s', (_, error, kind, retry) => {
    expect(toApplyError(error)).toMatchObject({ kind, retry });
  });
});

describe('withoutValues', () => {
  it.each([
    [`insert into "a - b" values (?) - Duplicate entry 'O'Neil, x' for key 'mail'`, `Duplicate entry for key 'mail'`],
    [`Incorrect integer value: 'many' for column 'big' at row 1`, `Incorrect integer value for column 'big' at row 1`],
    [`invalid input syntax for type uuid: "geheim"`, 'invalid input syntax for type uuid'],
    ['Cannot insert. The duplicate key value is (geheim, 7).', 'Cannot insert.'],
    [
      `Conversion failed when converting the nvarchar value 'x' to data type int.`,
      'Conversion failed when converting the nvarchar value to data type int.',
    ],
    [`no such table: "it's"`, `no such table: "it's"`],
  ])('%s', (message, shown) => {
    expect(withoutValues(message)).toBe(shown);
  });
});
