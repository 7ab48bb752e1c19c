import { z } from 'zod';
import { nearestTo } from '@fds/adaptor-sdk';
import { pointerOf } from './fault.js';
import { metadataNames } from './metadata-names.js';
import { documentStoreProperties, type StateAddress } from './document-store-metadata.js';
import type { JdbcAddress } from './jdbc/jdbc-address.js';
import { parseJdbcUrl } from './jdbc/jdbc-url.js';
import { tableMetadata, type TableMetadata } from './table-metadata.js';

const jdbcProperties = z
  .strictObject({
    jdbcUrl: z.string(),
    'dataSource.user': z.string().optional(),
    'dataSource.password': z.string().optional(),
    maximumPoolSize: z
      .union([z.string().regex(/^\d+$/), z.int()])
      .transform(Number)
      .pipe(z.int().min(1).max(100))
      .default(4),
  })
  .transform((properties, context) => {
    const address = parseJdbcUrl(properties.jdbcUrl);
    if ('fault' in address) {
      context.addIssue({ code: 'custom', path: ['jdbcUrl'], message: address.fault });
      return z.NEVER;
    }
    return {
      address,
      user: properties['dataSource.user'],
      password: properties['dataSource.password'],
      maxConnections: properties.maximumPoolSize,
    };
  });

const database = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('JDBC'), properties: jdbcProperties }),
  z.strictObject({ type: z.literal('DOCUMENT_STORE'), properties: documentStoreProperties }),
]);

/** The address of a database that can keep the state of tables; undefined for any other database. */
const stateAddressOf = (entry: z.output<typeof database>): StateAddress | undefined => {
  if (entry.type === 'DOCUMENT_STORE') return entry.properties;
  const { address, ...credentials } = entry.properties;
  return address.dialect === 'postgresql' ? { kind: 'POSTGRESQL', address, ...credentials } : undefined;
};

const questionMark = ['?', 'a name with a question mark is not supported for this database: use a view'] as const;

const escapedMark = [
  String.raw`\?`,
  'a name with a backslash before a question mark is not supported for this database: use a view',
] as const;

/**
 * Parts of names that a database does not support, with the reason: drivers treat every question mark in a statement as a
 * parameter, the query builder takes one behind a backslash for one that it has escaped, and Oracle has no name with a
 * quotation mark.
 */
const refusedParts: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  postgresql: [escapedMark],
  mssql: [escapedMark],
  mysql: [questionMark],
  oracle: [questionMark, ['"', 'Oracle has no name with a quotation mark; names are written without quotes']],
};

/** Databases whose log can be read. MySQL and MariaDB have one dialect, so a check of the server decides for them. */
const hasLog: ReadonlySet<string> = new Set(['postgresql', 'mysql']);

/** Names of tables and columns, with their places in the metadata. */
const namesOf = ({ dataSource, dataColumns, timestampSpec, primaryKeySpecs, mapping }: TableMetadata) =>
  [
    [['dataSource', 'tableName'], dataSource.tableName],
    [['dataSource', 'schema'], dataSource.schema ?? ''],
    [['timestampSpec', 'columnName'], timestampSpec?.columnName ?? ''],
    ...Object.keys(dataColumns).map((column) => [['dataColumns', column], column] as const),
    ...primaryKeySpecs.map(({ column }, index) => [['primaryKeySpecs', index, column], column] as const),
    ...Object.keys(mapping?.toRow ?? {}).map((column) => [['mapping', 'toRow', column], column] as const),
    ...Object.entries(mapping?.lookups ?? {}).flatMap(([name, { schema = '', table, key, columns }]) => [
      [['mapping', 'lookups', name, 'schema'], schema] as const,
      [['mapping', 'lookups', name, 'table'], table] as const,
      [['mapping', 'lookups', name, 'key'], key] as const,
      ...columns.map((column, index) => [['mapping', 'lookups', name, 'columns', index], column] as const),
    ]),
  ] as const;

/** Places where a data column and an expression would both determine a property or a column. */
const twiceMapped = ({
  dataColumns,
  mapping,
  primaryKeySpecs,
  timestampSpec,
}: TableMetadata): readonly (readonly [path: readonly string[], message: string])[] => {
  const sources = new Set(Object.values(dataColumns).map(({ source }) => source));
  const keys = new Set(primaryKeySpecs.map(({ column }) => column));
  const twice = (path: readonly string[], message: string): readonly [readonly string[], string] => [path, message];
  return [
    ...Object.keys(mapping?.toRecord ?? {}).flatMap((property) =>
      sources.has(property) ? [twice(['toRecord', property], 'is the source of a data column already')] : [],
    ),
    ...Object.keys(mapping?.toRow ?? {}).flatMap((column) => {
      if (Object.hasOwn(dataColumns, column)) return [twice(['toRow', column], 'is a data column already')];
      if (keys.has(column)) return [twice(['toRow', column], 'is a key column: map it as a data column')];
      if (column === timestampSpec?.columnName)
        return [twice(['toRow', column], 'is the modification column, which the adaptor sets')];
      return [];
    }),
  ];
};

const adaptorMetadata = z
  .strictObject({
    databases: z.record(z.string(), database),
    tables: z.array(tableMetadata).min(1),
    /** True: the adaptor refuses assembly requests. */
    writeOnly: z.boolean().default(false),
  })
  .superRefine(({ databases, tables }, context) => {
    for (const [index, table] of tables.entries()) {
      const { dataSource, domain, version } = table;
      const database = databases[dataSource.name];
      const refused = database?.type === 'JDBC' ? (refusedParts[database.properties.address.dialect] ?? []) : [];
      for (const [part, message] of refused) {
        for (const [path, name] of namesOf(table)) {
          if (name.includes(part)) context.addIssue({ code: 'custom', path: ['tables', index, ...path], message });
        }
      }
      for (const [path, message] of twiceMapped(table))
        context.addIssue({ code: 'custom', path: ['tables', index, 'mapping', ...path], message });
      if (database?.type !== 'JDBC') {
        context.addIssue({
          code: 'custom',
          path: ['tables', index, 'dataSource', 'name'],
          message: `names no JDBC database of "databases"${nearestTo(dataSource.name, Object.keys(databases))}`,
        });
      }
      if (
        table.scanMethod === 'LOG' &&
        table.timestampSpec === undefined &&
        database?.type === 'JDBC' &&
        !hasLog.has(database.properties.address.dialect)
      ) {
        const message =
          'LOG is possible with PostgreSQL and MariaDB; another database needs TIMESTAMP and a timestampSpec';
        context.addIssue({ code: 'custom', path: ['tables', index, 'scanMethod'], message });
      }
      for (const key of ['processingDataSource', 'localIdentifierStoreDataSource'] as const) {
        const name = table[key]?.name;
        const store = name === undefined ? undefined : databases[name];
        if (name === undefined || (store !== undefined && stateAddressOf(store) !== undefined)) continue;
        const near = nearestTo(name, Object.keys(databases));
        const message = `names no DOCUMENT_STORE and no PostgreSQL database of "databases"${near}`;
        context.addIssue({ code: 'custom', path: ['tables', index, key, 'name'], message });
      }
      const first = tables.findIndex((other) => other.domain === domain && other.version === version);
      if (first !== index) {
        const message =
          `a second table for ${domain}:${version}, which ${pointerOf('tables', first)} has already: ` +
          'an event would not say which table it is for. Use a view of both tables, another version, or another adaptor';
        context.addIssue({ code: 'custom', path: ['tables', index], message });
      }
    }
  });

/** The database of a table's rows. */
export interface JdbcDatabase {
  readonly address: JdbcAddress;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly maxConnections: number;
}

/** The metadata of a database adaptor, checked. */
export interface DatabaseAdaptorMetadata {
  /** Databases by the name that tables use. */
  readonly databases: ReadonlyMap<string, JdbcDatabase>;
  readonly tables: readonly TableMetadata[];
  readonly writeOnly: boolean;
  /** Databases that can keep the state of tables, by name. */
  readonly stateStores: ReadonlyMap<string, StateAddress>;
}

/** Every fault of the metadata with its place. The message contains places, never values. */
export class MetadataFault extends Error {
  override readonly name = 'MetadataFault';
  constructor(readonly faults: readonly string[]) {
    super(`the metadata is not valid: ${faults.join('; ')}`);
  }
}

const faultsOf = (issue: z.core.$ZodIssue): readonly string[] => {
  const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  if (issue.code !== 'unrecognized_keys') return [`${pointerOf(...path)}: ${issue.message}`];
  return issue.keys.map((key) => `${pointerOf(...path, key)}: is not known${nearestTo(key, metadataNames)}`);
};

/**
 * Checks the adaptor's metadata.
 *
 * @throws MetadataFault with every fault
 */
export const parseAdaptorMetadata = (metadata: unknown): DatabaseAdaptorMetadata => {
  const result = adaptorMetadata.safeParse(metadata);
  if (!result.success) {
    throw new MetadataFault(result.error.issues.flatMap(faultsOf));
  }
  const { databases, tables, writeOnly } = result.data;
  const jdbc = new Map<string, JdbcDatabase>();
  const stateStores = new Map<string, StateAddress>();
  for (const [name, entry] of Object.entries(databases)) {
    if (entry.type === 'JDBC') jdbc.set(name, entry.properties);
    const store = stateAddressOf(entry);
    if (store !== undefined) stateStores.set(name, store);
  }
  return { databases: jdbc, tables, writeOnly, stateStores };
};
