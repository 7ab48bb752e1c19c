import type { Knex } from 'knex';
import type { TableMetadata } from '../../../configuration/table-metadata.js';
import { LogUnavailable } from '../log-unavailable.js';
import { rowsOf } from './binlog-snapshot.js';
import type { LoggedTable } from './logged-table.js';

interface Settings {
  readonly version: string;
  readonly logBin: string;
  readonly format: string;
  readonly rowImage: string;
  readonly foldsNames: string;
}

const check = (holds: boolean, reason: string): void => {
  if (!holds) throw new LogUnavailable(reason);
};

const checkServer = async (connection: Knex): Promise<Settings> => {
  const [settings] = await rowsOf<Settings>(
    connection,
    `SELECT VERSION() AS version, @@GLOBAL.log_bin AS logBin, @@GLOBAL.binlog_format AS format,
       @@GLOBAL.binlog_row_image AS rowImage, @@GLOBAL.lower_case_table_names AS foldsNames`,
  );
  if (settings === undefined) throw new Error('the server does not name its settings');
  const { version, logBin, format, rowImage } = settings;
  check(/mariadb/i.test(version), `LOG is possible with MariaDB and PostgreSQL; this server is MySQL ${version}`);
  check(logBin === '1', 'log_bin of the server is OFF, LOG needs a binary log');
  check(format === 'ROW', `binlog_format of the server is ${format}, LOG needs ROW`);
  check(rowImage === 'FULL', `binlog_row_image of the server is ${rowImage}, LOG needs FULL`);
  const variables = await rowsOf<{ Variable_name: string; Value: string }>(
    connection,
    `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('binlog_row_metadata', 'gtid_slave_pos', 'log_slave_updates')`,
  );
  const valueOf = (name: string): string => variables.find((one) => one.Variable_name === name)?.Value ?? '';
  const metadata = valueOf('binlog_row_metadata');
  check(metadata !== '', 'LOG needs MariaDB 10.5 or newer');
  check(metadata === 'FULL', `binlog_row_metadata of the server is ${metadata}, LOG needs FULL`);
  check(
    valueOf('gtid_slave_pos') === '' || valueOf('log_slave_updates') === 'ON',
    'the server is a replica with log_slave_updates = OFF: its log lacks the changes of its primary',
  );
  return settings;
};

const checkRights = async (connection: Knex, schema: string): Promise<void> => {
  const grants = await rowsOf<Readonly<Record<string, string>>>(connection, 'SHOW GRANTS');
  const mayReplicate = grants
    .flatMap((grant) => Object.values(grant))
    .some((grant) => /^GRANT (?:.*, )?(?:ALL PRIVILEGES|REPLICATION SLAVE)(?:,.*)? ON \*\.\* TO/.test(grant));
  check(mayReplicate, 'the user needs REPLICATION SLAVE ON *.*');
  let status: readonly { readonly Binlog_Do_DB: string; readonly Binlog_Ignore_DB: string }[];
  try {
    status = await rowsOf(connection, 'SHOW MASTER STATUS');
  } catch (error) {
    if (error instanceof Error && 'errno' in error && error.errno === 1227)
      throw new LogUnavailable('the user needs BINLOG MONITOR (REPLICATION CLIENT) ON *.*', { cause: error });
    throw error;
  }
  const [{ Binlog_Do_DB: only, Binlog_Ignore_DB: without } = { Binlog_Do_DB: '', Binlog_Ignore_DB: '' }] = status;
  const isLogged = (only === '' || only.split(',').includes(schema)) && !without.split(',').includes(schema);
  check(isLogged, `binlog_do_db or binlog_ignore_db of the server keeps ${schema} out of the log`);
};

const integers = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'bigint']);
const texts = new Set(['char', 'varchar']);
/** Character sets in which the library returns the same text as a query. */
const characterSets = new Set(['ascii', 'latin1', 'utf8', 'utf8mb3', 'utf8mb4']);

interface Column {
  readonly name: string;
  readonly type: string;
  readonly spelled: string;
  readonly characterSet: string | null;
}

const checkKeyColumns = (columns: readonly Column[], table: TableMetadata): void => {
  for (const { column } of table.primaryKeySpecs) {
    const found = columns.find(({ name }) => name === column);
    const spelled = found === undefined ? 'nothing' : `${found.spelled} ${found.characterSet ?? ''}`.trim();
    const isRead =
      found !== undefined &&
      ((integers.has(found.type) && !found.spelled.includes('zerofill')) ||
        (texts.has(found.type) && characterSets.has(found.characterSet ?? '')));
    check(isRead, `key column ${JSON.stringify(column)} is ${spelled}: LOG reads keys that are integers or texts`);
  }
};

const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** Foreign keys that change or delete rows without an entry in the log. */
const cascades = /^\s*CONSTRAINT .* FOREIGN KEY .* ON (?:DELETE|UPDATE) (?:CASCADE|SET NULL)/m;

/**
 * Checks the requirements for reading a table from MariaDB's binary log.
 *
 * @returns the table, as the log names it
 * @throws LogUnavailable with the first missing requirement
 */
export const checkBinlog = async (connection: Knex, table: TableMetadata): Promise<LoggedTable> => {
  const { foldsNames } = await checkServer(connection);
  const { schema, tableName } = table.dataSource;
  const [tables] = (await connection.raw(
    `SELECT TABLE_SCHEMA AS \`schema\`, TABLE_NAME AS name, TABLE_TYPE AS type FROM information_schema.TABLES
     WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?`,
    [schema ?? null, tableName],
  )) as [{ schema: string; name: string; type: string }[]];
  const found = tables.find(({ name }) => name === tableName) ?? (foldsNames === '0' ? undefined : tables[0]);
  if (found?.type !== 'BASE TABLE') throw new LogUnavailable('LOG needs a plain table, not a view or a versioned one');
  await checkRights(connection, found.schema);
  const [columns] = (await connection.raw(
    `SELECT COLUMN_NAME AS name, DATA_TYPE AS type, COLUMN_TYPE AS spelled, CHARACTER_SET_NAME AS characterSet
     FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`,
    [found.schema, found.name],
  )) as [Column[]];
  checkKeyColumns(columns, table);
  // information_schema hides foreign keys from a user who may only read
  const [made] = await rowsOf<{ 'Create Table': string }>(
    connection,
    `SHOW CREATE TABLE ${quoted(found.schema)}.${quoted(found.name)}`,
  );
  check(
    !cascades.test(made?.['Create Table'] ?? ''),
    'the table has a foreign key with ON DELETE or ON UPDATE CASCADE or SET NULL: rows that it changes are not in the log',
  );
  const inLog = (name: string): string => (foldsNames === '0' ? name : name.toLowerCase());
  return { schema: inLog(found.schema), name: inLog(found.name) };
};
