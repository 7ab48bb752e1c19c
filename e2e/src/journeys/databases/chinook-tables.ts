/** A column of a Chinook table: its domain property, the adaptor's column type and its type in PostgreSQL. */
interface Column {
  readonly name: string;
  readonly property: string;
  readonly columnType: 'STRING' | 'LONG' | 'DOUBLE' | 'TIMESTAMP';
}

/** A Chinook table as a federated domain. The first column is the primary key and the DR Key. */
export interface ChinookTable {
  readonly table: string;
  readonly domain: string;
  readonly columns: readonly Column[];
}

const column = (name: string, columnType: Column['columnType'] = 'STRING'): Column => ({
  name,
  property: `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
  columnType,
});

/**
 * Column with the time of a row's last change. It is added to a copy of the database; the original has no such column.
 */
export const modificationColumn = 'ModifiedAt';

export const chinookTables: readonly ChinookTable[] = [
  {
    table: 'Customer',
    domain: 'customer',
    columns: [
      column('CustomerId', 'LONG'),
      ...[
        'FirstName',
        'LastName',
        'Company',
        'Address',
        'City',
        'State',
        'Country',
        'PostalCode',
        'Phone',
        'Fax',
        'Email',
      ].map((name) => column(name)),
      column('SupportRepId', 'LONG'),
    ],
  },
  { table: 'Artist', domain: 'artist', columns: [column('ArtistId', 'LONG'), column('Name')] },
  {
    table: 'Invoice',
    domain: 'invoice',
    columns: [
      column('InvoiceId', 'LONG'),
      column('CustomerId', 'LONG'),
      column('InvoiceDate', 'TIMESTAMP'),
      ...['BillingAddress', 'BillingCity', 'BillingState', 'BillingCountry', 'BillingPostalCode'].map((name) =>
        column(name),
      ),
      column('Total', 'DOUBLE'),
    ],
  },
];

const modelTypes = {
  STRING: { type: 'string' },
  LONG: { type: 'integer' },
  DOUBLE: { type: 'number' },
  TIMESTAMP: { type: 'string', format: 'date-time' },
} as const;

const sqlTypes = {
  POSTGRESQL: { STRING: 'text', LONG: 'bigint', DOUBLE: 'double precision', TIMESTAMP: 'timestamptz' },
  MARIADB: { STRING: 'text', LONG: 'bigint', DOUBLE: 'double', TIMESTAMP: 'datetime(6)' },
} as const;

/** Primary key and DR Key. */
export const keyOf = ({ columns }: ChinookTable): Column => {
  const [key] = columns;
  if (key === undefined) throw new Error('a table without columns');
  return key;
};

/** Model properties of the domain. */
export const modelOf = ({ columns }: ChinookTable): Readonly<Record<string, unknown>> =>
  Object.fromEntries(columns.map(({ property, columnType }) => [property, modelTypes[columnType]]));

/** DR Key of the domain. */
export const drKeyOf = (table: ChinookTable): readonly string[] => [keyOf(table).property];

/** DDL of the same table, empty, in PostgreSQL or MariaDB. */
export const createTableSql = (table: ChinookTable, database: keyof typeof sqlTypes = 'POSTGRESQL'): string => {
  const quoted = (name: string): string => (database === 'MARIADB' ? `\`${name}\`` : `"${name}"`);
  const columns = table.columns.map(({ name, columnType }) => `${quoted(name)} ${sqlTypes[database][columnType]}`);
  const modified =
    database === 'MARIADB'
      ? 'datetime(6) NOT NULL DEFAULT utc_timestamp(6)'
      : 'timestamptz NOT NULL DEFAULT clock_timestamp()';
  const key = `PRIMARY KEY (${quoted(keyOf(table).name)})`;
  return `CREATE TABLE ${quoted(table.table)} (${columns.join(', ')}, ${quoted(modificationColumn)} ${modified}, ${key})`;
};

/** A database of an adaptor's metadata. */
export interface DatabaseEntry {
  readonly jdbcUrl: string;
  readonly user?: string;
  readonly password?: string;
  /** Schema of the tables; none for SQLite and MariaDB. */
  readonly schema?: string;
  /** Default TIMESTAMP. */
  readonly scanMethod?: 'LOG' | 'TIMESTAMP';
}

const timestampSpec = {
  columnName: modificationColumn,
  type: 'TIMESTAMP',
  precision: 'MICROSECONDS',
  scanStartTime: '2000-01-01T00:00:00Z',
  lagTimeMilliseconds: 0,
  overlapMilliseconds: 1000,
} as const;

/** Metadata of a database adaptor that exchanges all the tables (docs/adaptors/adaptor-programs.md#database-adaptor). */
export const metadataOf = (database: DatabaseEntry): Readonly<Record<string, unknown>> => ({
  databases: {
    source: {
      type: 'JDBC',
      properties: {
        jdbcUrl: database.jdbcUrl,
        ...(database.user === undefined ? {} : { 'dataSource.user': database.user }),
        ...(database.password === undefined ? {} : { 'dataSource.password': database.password }),
        maximumPoolSize: '4',
      },
    },
  },
  tables: chinookTables.map((table) => {
    const key = keyOf(table);
    const readsLog = database.scanMethod === 'LOG';
    return {
      domain: table.domain,
      version: 1,
      primaryKeySpecs: [{ type: 'DOMAIN', [key.name]: { columnType: key.columnType, required: true } }],
      // a table that is read from the log gets no fallback, so that a failing log is detected
      ...(readsLog ? {} : { timestampSpec }),
      dataColumns: Object.fromEntries(
        table.columns.map(({ name, property, columnType }) => [
          name,
          { source: property, columnType, updatable: name !== key.name, insertable: true },
        ]),
      ),
      dataSource: {
        name: 'source',
        ...(database.schema === undefined ? {} : { schema: database.schema }),
        tableName: table.table,
      },
      scanMethod: database.scanMethod ?? 'TIMESTAMP',
      scanOptions: {
        scanIntervalMilliseconds: 200,
        processorConcurrency: 1,
        maxBatchSize: 500,
        enableIncoming: true,
        enableModificationScan: true,
        enableDeletionScan: !readsLog,
        enableProcessor: true,
      },
    };
  }),
});
