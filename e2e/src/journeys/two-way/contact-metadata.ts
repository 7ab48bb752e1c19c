import { contactProperties, type ContactDatabase } from './contact-database.js';

/** Model of the domain `contact`. */
export const contactModel = {
  id: { type: 'integer' },
  a: { type: 'string' },
  b: { type: 'string' },
  c: { type: 'string' },
  n: { type: 'integer' },
} as const;

const columnTypes = { a: 'STRING', b: 'STRING', c: 'STRING', n: 'LONG' } as const;

interface ContactMetadataOptions {
  readonly scanIntervalMilliseconds: number;
  /** Default `contact`. */
  readonly domain?: string;
  readonly sourceChanged?: 'ACCEPT';
}

/** Metadata of a database adaptor that exchanges the table `contact`. */
export const contactMetadata = (
  { entry, scanMethod }: Pick<ContactDatabase, 'entry' | 'scanMethod'>,
  { scanIntervalMilliseconds, domain = 'contact', sourceChanged }: ContactMetadataOptions,
): Readonly<Record<string, unknown>> => {
  const isLog = scanMethod === 'LOG';
  return {
    databases: {
      source: {
        type: 'JDBC',
        properties: {
          jdbcUrl: entry.jdbcUrl,
          ...(entry.user === undefined ? {} : { 'dataSource.user': entry.user }),
          ...(entry.password === undefined ? {} : { 'dataSource.password': entry.password }),
          maximumPoolSize: '4',
        },
      },
    },
    tables: [
      {
        domain,
        version: 1,
        ...(sourceChanged === undefined ? {} : { sourceChanged }),
        dataSource: {
          name: 'source',
          ...(entry.schema === undefined ? {} : { schema: entry.schema }),
          tableName: 'contact',
        },
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'LONG', required: true } }],
        // a table that is read from the log gets no fallback, so that a failing log is detected
        ...(isLog ? {} : { timestampSpec: { columnName: 'changed', type: 'TIMESTAMP', overlapMilliseconds: 1000 } }),
        dataColumns: {
          id: { source: 'id', columnType: 'LONG', updatable: false },
          ...Object.fromEntries(
            contactProperties.map((name) => [name, { source: name, columnType: columnTypes[name] }]),
          ),
        },
        scanMethod,
        scanOptions: { scanIntervalMilliseconds, enableDeletionScan: !isLog },
      },
    ],
  };
};
