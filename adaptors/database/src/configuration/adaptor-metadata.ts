import { z } from 'zod';
import { parseJdbcUrl, type JdbcAddress } from './jdbc-url.js';
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
  z.strictObject({ type: z.literal('DOCUMENT_STORE'), properties: z.strictObject({ connectionString: z.string() }) }),
]);

const adaptorMetadata = z
  .strictObject({
    databases: z.record(z.string(), database),
    tables: z.array(tableMetadata).min(1),
    /** True: the adaptor takes no assembly requests. */
    writeOnly: z.boolean().default(false),
  })
  .superRefine(({ databases, tables }, context) => {
    for (const [index, { dataSource, domain, version }] of tables.entries()) {
      if (databases[dataSource.name]?.type !== 'JDBC') {
        context.addIssue({
          code: 'custom',
          path: ['tables', index, 'dataSource', 'name'],
          message: 'names no JDBC database of "databases"',
        });
      }
      if (tables.findIndex((other) => other.domain === domain && other.version === version) !== index) {
        context.addIssue({
          code: 'custom',
          path: ['tables', index],
          message: `a second table for ${domain}:${version}`,
        });
      }
    }
  });

/** Where a table's rows are. */
export interface JdbcDatabase {
  readonly address: JdbcAddress;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly maxConnections: number;
}

/** The metadata of a database adaptor, checked. */
export interface DatabaseAdaptorMetadata {
  /** By the name that tables use. */
  readonly databases: ReadonlyMap<string, JdbcDatabase>;
  readonly tables: readonly TableMetadata[];
  readonly writeOnly: boolean;
  /** Databases that are accepted and not used: state is kept in the data directory. */
  readonly unusedDocumentStores: readonly string[];
}

/** Every fault of the metadata, each with its place. Names places, never values. */
export class MetadataFault extends Error {
  override readonly name = 'MetadataFault';
  constructor(readonly faults: readonly string[]) {
    super(`the metadata is not valid: ${faults.join('; ')}`);
  }
}

/**
 * Checks the adaptor's metadata.
 *
 * @throws MetadataFault with every fault
 */
export const parseAdaptorMetadata = (metadata: unknown): DatabaseAdaptorMetadata => {
  const result = adaptorMetadata.safeParse(metadata);
  if (!result.success) {
    throw new MetadataFault(result.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`));
  }
  const { databases, tables, writeOnly } = result.data;
  const jdbc = new Map<string, JdbcDatabase>();
  const unusedDocumentStores: string[] = [];
  for (const [name, entry] of Object.entries(databases)) {
    if (entry.type === 'JDBC') jdbc.set(name, entry.properties);
    else unusedDocumentStores.push(name);
  }
  return { databases: jdbc, tables, writeOnly, unusedDocumentStores };
};
