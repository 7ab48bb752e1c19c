import { z } from 'zod';
import { expression, mapping } from './mapping-metadata.js';

/** Types of columns. The type determines how a value is converted between column and domain property. */
const columnTypes = [
  'STRING',
  'LONG',
  'INTEGER',
  'DOUBLE',
  'DECIMAL',
  'BOOLEAN',
  'LOCAL_DATE',
  'TIMESTAMP',
  'BYTES',
  'JSON',
] as const;
export type ColumnType = (typeof columnTypes)[number];

const columnType = z.enum(columnTypes);

/** Any name that a database allows, including dots and blanks. */
const columnName = z
  .string()
  .min(1)
  .refine(
    (name) => !name.includes('\u0000') && !name.includes('\uE000'),
    'a column name with the character U+0000 or U+E000 is not supported: use a view',
  );

const tableName = z
  .string()
  .min(1)
  .refine(
    (name) => !name.includes('\u0000') && !name.includes('\uE000'),
    'a table name with the character U+0000 or U+E000 is not supported: use a view',
  );

const schemaName = z
  .string()
  .refine(
    (name) => !name.includes('\u0000') && !name.includes('\uE000'),
    'a schema name with the character U+0000 or U+E000 is not supported: use a view',
  );

const dataColumn = z.strictObject({
  /** Domain property. */
  source: z.string().min(1),
  columnType,
  updatable: z.boolean().default(true),
  insertable: z.boolean().default(true),
});

const keyColumn = z.strictObject({
  columnType: columnType.exclude(['BYTES', 'JSON'], { error: 'cannot be the type of a key column' }),
  /** True: a row without a value in this column is a data fault. */
  required: z.boolean().default(true),
});

/** `{type, <column>: {columnType, required}}`: the one member other than `type` is the column. */
const primaryKeySpec = z
  .object({ type: z.enum(['DOMAIN', 'LOCAL_AUTO']) })
  .catchall(keyColumn)
  .transform(({ type, ...columns }, context) => {
    const [entry, ...more] = Object.entries(columns);
    if (entry === undefined || more.length > 0) {
      context.addIssue({ code: 'custom', message: 'names exactly one column in addition to "type"' });
      return z.NEVER;
    }
    const name = columnName.safeParse(entry[0]);
    if (!name.success) {
      context.addIssue({ code: 'custom', path: [entry[0]], message: name.error.issues[0]?.message ?? '' });
      return z.NEVER;
    }
    return { type, column: entry[0], ...entry[1] };
  });

const timestampSpec = z.strictObject({
  columnName,
  type: z.literal('TIMESTAMP'),
  precision: z.enum(['MICROSECONDS', 'MILLISECONDS', 'SECONDS']).default('MICROSECONDS'),
  /** Rows that changed before this time are not read. */
  scanStartTime: z.iso.datetime({ offset: true }).default('1970-01-01T00:00:00Z'),
  /** Minimum age of a row before it is read, so that transactions that commit late are not missed. */
  lagTimeMilliseconds: z.int().min(0).default(0),
  /** How far a scan looks back before the end of the last scan. */
  overlapMilliseconds: z.int().min(0).default(1000),
});

const scanOptions = z.strictObject({
  scanIntervalMilliseconds: z.int().min(10).default(1000),
  processorConcurrency: z.int().min(1).max(100).default(1),
  maxBatchSize: z.int().min(1).max(10_000).default(1000),
  enableIncoming: z.boolean().default(true),
  enableModificationScan: z.boolean().default(true),
  enableDeletionScan: z.boolean().default(false),
  enableProcessor: z.boolean().default(true),
});

const stateDataSource = z.strictObject({ name: z.string(), databaseName: z.string().optional() });

/** A table entry of the metadata (docs/adaptors/adaptor-programs.md#database-adaptor). */
export const tableMetadata = z.strictObject({
  domain: z.string().min(1),
  version: z.int().min(1),
  primaryKeySpecs: z.array(primaryKeySpec).min(1),
  timestampSpec: timestampSpec.optional(),
  dataColumns: z.record(columnName, dataColumn).refine((columns) => Object.keys(columns).length > 0, 'names no column'),
  /** JSONata: which rows belong to the domain. */
  rowFilter: expression.optional(),
  mapping: mapping.optional(),
  dataSource: z.strictObject({ name: z.string(), schema: schemaName.optional(), tableName }),
  processingDataSource: stateDataSource.optional(),
  localIdentifierStoreDataSource: stateDataSource.optional(),
  /** LOG: read the log of the database; if that is not possible, scan like TIMESTAMP. */
  scanMethod: z.enum(['TIMESTAMP', 'LOG']).default('TIMESTAMP'),
  scanOptions: scanOptions.prefault({}),
  /** ACCEPT: the source that the adaptor sees next is the source of the table, even if it is another one than before. */
  sourceChanged: z.literal('ACCEPT').nullish(),
});

export type TableMetadata = z.output<typeof tableMetadata>;

/** Does the adaptor report changed rows of the table? */
export const reportsChanges = ({ scanMethod, timestampSpec, scanOptions }: TableMetadata): boolean =>
  scanOptions.enableProcessor &&
  scanOptions.enableModificationScan &&
  (scanMethod === 'LOG' || timestampSpec !== undefined);
