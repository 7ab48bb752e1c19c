import { describe, expect, it } from '@jest/globals';
import { MetadataFault, parseAdaptorMetadata } from './adaptor-metadata.js';

const table = {
  domain: 'person',
  version: 1,
  primaryKeySpecs: [{ type: 'DOMAIN', ID: { columnType: 'LONG', required: true } }],
  timestampSpec: {
    columnName: 'CHANGED',
    type: 'TIMESTAMP',
    precision: 'MICROSECONDS',
    scanStartTime: '2020-01-01T00:00:00Z',
    lagTimeMilliseconds: 1000,
    overlapMilliseconds: 500,
  },
  dataColumns: {
    ID: { source: 'id', columnType: 'LONG', updatable: false, insertable: true },
    NAME: { source: 'name', columnType: 'STRING' },
  },
  dataSource: { name: 'main', schema: 'public', tableName: 'PERSON' },
  processingDataSource: { name: 'store', databaseName: 'processing' },
  scanMethod: 'TIMESTAMP',
  scanOptions: {
    processorConcurrency: 2,
    maxBatchSize: 100,
    enableIncoming: true,
    enableModificationScan: true,
    enableDeletionScan: true,
    enableProcessor: true,
  },
};
const main = {
  type: 'JDBC',
  properties: {
    jdbcUrl: 'jdbc:sqlite:/x',
    'dataSource.user': 'u',
    'dataSource.password': 'geheim',
    maximumPoolSize: '7',
  },
};
const store = { type: 'DOCUMENT_STORE', properties: { connectionString: 'mongodb://localhost' } };
const metadata = { databases: { main, store }, tables: [table] };

const faultsOf = (changed: unknown): readonly string[] => {
  try {
    parseAdaptorMetadata(changed);
  } catch (error) {
    if (error instanceof MetadataFault) return error.faults;
    throw error;
  }
  return [];
};

describe('parseAdaptorMetadata', () => {
  it('reads the metadata of the specification and fills in defaults', () => {
    const parsed = parseAdaptorMetadata(metadata);
    expect(parsed.databases.get('main')).toMatchObject({
      maxConnections: 7,
      user: 'u',
      address: { dialect: 'sqlite' },
    });
    expect(parsed.tables[0]?.primaryKeySpecs).toEqual([
      { type: 'DOMAIN', column: 'ID', columnType: 'LONG', required: true },
    ]);
    expect(parsed.tables[0]?.dataColumns['NAME']).toEqual({
      source: 'name',
      columnType: 'STRING',
      updatable: true,
      insertable: true,
    });
    expect(parsed.tables[0]?.scanOptions.scanIntervalMilliseconds).toBe(1000);
    expect(parsed.stateStores.get('store')).toMatchObject({ kind: 'MONGODB', databaseName: 'fds_adaptor' });
    expect(parsed.writeOnly).toBe(false);
  });

  it.each<[string, unknown, string]>([
    ['an unknown member', { ...metadata, tabels: [] }, '/tabels: is not known (nearest: "tables")'],
    [
      'a data source with a misspelt name',
      { ...metadata, tables: [{ ...table, dataSource: { name: 'mian', tableName: 'T' } }] },
      '/tables/0/dataSource/name: names no JDBC database of "databases" (nearest: "main")',
    ],
    [
      'a question mark in a name of MySQL',
      {
        databases: { main: { ...main, properties: { jdbcUrl: 'jdbc:mysql://db/shop' } } },
        tables: [{ ...table, dataColumns: { ...table.dataColumns, 'why?': { source: 'why', columnType: 'STRING' } } }],
      },
      '/tables/0/dataColumns/why?: a name with a question mark',
    ],
    [
      'an unknown column type',
      { ...metadata, tables: [{ ...table, dataColumns: { A: { source: 'a', columnType: 'BLOB' } } }] },
      '/tables/0/dataColumns/A/columnType',
    ],
    [
      'two columns in one key',
      {
        ...metadata,
        tables: [
          { ...table, primaryKeySpecs: [{ type: 'DOMAIN', A: { columnType: 'LONG' }, B: { columnType: 'LONG' } }] },
        ],
      },
      '/tables/0/primaryKeySpecs/0',
    ],
    [
      'an unknown database',
      { ...metadata, tables: [{ ...table, dataSource: { name: 'other', tableName: 'T' } }] },
      '/tables/0/dataSource/name',
    ],
    [
      'a table in a document store',
      { ...metadata, tables: [{ ...table, dataSource: { name: 'store', tableName: 'T' } }] },
      '/tables/0/dataSource/name',
    ],
    [
      'a state store in a database that cannot keep it',
      { ...metadata, tables: [{ ...table, processingDataSource: { name: 'main' } }] },
      '/tables/0/processingDataSource/name: names no DOCUMENT_STORE',
    ],
    [
      'a state store with a misspelt name',
      { ...metadata, tables: [{ ...table, localIdentifierStoreDataSource: { name: 'stor' } }] },
      '/tables/0/localIdentifierStoreDataSource/name: names no DOCUMENT_STORE and no PostgreSQL database of "databases" (nearest: "store")',
    ],
    [
      'a document store of another kind',
      { ...metadata, databases: { main, store: { ...store, properties: { connectionString: 'redis://host' } } } },
      '/databases/store/properties/connectionString: must be like mongodb://',
    ],
    ['a second table for the same version', { ...metadata, tables: [table, table] }, '/tables/1: a second table for'],
    [
      'a bad JDBC URL',
      { ...metadata, databases: { main: { ...main, properties: { jdbcUrl: 'nonsense' } } } },
      '/databases/main/properties/jdbcUrl',
    ],
    [
      'a column with a character that cannot be mapped',
      { ...metadata, tables: [{ ...table, dataColumns: { 'A\uE000B': { source: 'a', columnType: 'STRING' } } }] },
      '/tables/0/dataColumns/A\uE000B',
    ],
    [
      'a key of bytes',
      { ...metadata, tables: [{ ...table, primaryKeySpecs: [{ type: 'DOMAIN', A: { columnType: 'BYTES' } }] }] },
      '/tables/0/primaryKeySpecs/0/A/columnType',
    ],
    ['no tables', { ...metadata, tables: [] }, '/tables'],
  ])('names the place of %s', (_, changed, place) => {
    expect(faultsOf(changed).join('\n')).toContain(place);
  });

  it('never shows a password', () => {
    expect(
      faultsOf({
        ...metadata,
        databases: { main: { ...main, properties: { ...main.properties, jdbcUrl: 1 } } },
      }).join(),
    ).not.toContain('geheim');
  });
});
