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

/** When a row changed: added to a copy of the database, the original has none. */
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

const sqlTypes = { STRING: 'text', LONG: 'bigint', DOUBLE: 'double precision', TIMESTAMP: 'timestamptz' } as const;

const keyOf = ({ columns }: ChinookTable): Column => {
  const [key] = columns;
  if (key === undefined) throw new Error('a table without columns');
  return key;
};

/** Model properties of the domain. */
export const modelOf = ({ columns }: ChinookTable): Readonly<Record<string, unknown>> =>
  Object.fromEntries(columns.map(({ property, columnType }) => [property, modelTypes[columnType]]));

/** DR Key of the domain. */
export const drKeyOf = (table: ChinookTable): readonly string[] => [keyOf(table).property];

/** DDL of the same table in PostgreSQL, empty. */
export const createTableSql = (table: ChinookTable): string => {
  const columns = table.columns.map(({ name, columnType }) => `"${name}" ${sqlTypes[columnType]}`);
  return `CREATE TABLE "${table.table}" (${columns.join(', ')}, "${modificationColumn}" timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY ("${keyOf(table).name}"))`;
};

/** A database of an adaptor's metadata. */
export interface DatabaseEntry {
  readonly jdbcUrl: string;
  readonly user?: string;
  readonly password?: string;
  /** Schema of the tables; none for SQLite. */
  readonly schema?: string;
}

/** Metadata of a database adaptor that exchanges all the tables (adaptors.md, Database adaptor metadata). */
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
    return {
      domain: table.domain,
      version: 1,
      primaryKeySpecs: [{ type: 'DOMAIN', [key.name]: { columnType: key.columnType, required: true } }],
      timestampSpec: {
        columnName: modificationColumn,
        type: 'TIMESTAMP',
        precision: 'MICROSECONDS',
        scanStartTime: '2000-01-01T00:00:00Z',
        lagTimeMilliseconds: 0,
        overlapMilliseconds: 1000,
      },
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
      scanMethod: 'TIMESTAMP',
      scanOptions: {
        scanIntervalMilliseconds: 200,
        processorConcurrency: 1,
        maxBatchSize: 500,
        enableIncoming: true,
        enableModificationScan: true,
        enableDeletionScan: true,
        enableProcessor: true,
      },
    };
  }),
});
