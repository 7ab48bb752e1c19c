import type { Knex } from 'knex';
import { columnText, type ColumnValue, type ColumnValues } from '../columns/column-text.js';
import { toKeyColumn } from './column-value.js';
import { parseTimestamp } from '../columns/timestamp-text.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import { readEqualities, type ColumnEquality } from './column-equality.js';
import type { Dialect } from './dialect.js';
import { createFloatColumns } from './float-columns.js';
import { toIdentifier } from './identifier.js';
import { createWriterWatch, lookForWriters } from './open-writers.js';
import { createNulTexts } from './nul-texts.js';
import { withWritable } from './read-only.js';
import { rowKeyText, type RowKey } from './row-key.js';
import { sqlOfDialect } from './sql-of-dialect.js';
import { loadMssqlNumbers } from './mssql-numbers.js';
import { readRows, type ReadRows } from './source-row.js';
import type { JsonObject } from '@fds/adaptor-protocol';
import { openTableMapping, type MappedColumns } from './mapping/table-mapping.js';
import { createManyRows, type ManyRows } from './many-rows.js';
import { createWritableTable, matchingAny, type TableAccess, type WritableTable } from './writable-table.js';

type RawRow = Readonly<Record<string, ColumnValue>>;

/** The row after which a scan of the table continues. */
export interface ScanPosition {
  readonly modified: string;
  readonly key: RowKey;
}

interface ScanRange {
  /** Microseconds since the epoch, inclusive. */
  readonly from: bigint;
  /** Microseconds since the epoch, inclusive; undefined: no limit. */
  readonly until: bigint | undefined;
  readonly after: ScanPosition | undefined;
  readonly limit: number;
}

/** Rows of a scan. `last` is the position after them; undefined when no row is left. */
export interface ScannedRows extends ReadRows {
  readonly last: ScanPosition | undefined;
}

/** A column to sort by. */
export interface ColumnOrder {
  readonly column: string;
  readonly order: 'asc' | 'desc';
}

/** A table of the source. Only the mapped columns are read and written. */
export interface SourceTable {
  readonly metadata: TableMetadata;
  readonly dialect: Dialect;
  /** The database's own clock, microseconds since the epoch. */
  now(): Promise<bigint>;
  /**
   * The time of the database, and the time before which none of its open transactions can commit a row. Undefined, without a
   * statement where the database never shows open transactions: they are not shown.
   *
   * @param known everything earlier was complete before the first call. Microseconds since the epoch
   */
  lookAtWriters(known: bigint): Promise<{ readonly now: bigint; readonly completeUntil: bigint } | undefined>;
  /** Rows changed in the range, in order of change and key. */
  scan(range: ScanRange): Promise<ScannedRows>;
  /** Keys that still exist, as texts. */
  existing(keys: readonly RowKey[]): Promise<ReadonlySet<string>>;
  /** Rows in order of the key, after the given key. `last` is the last of their keys; undefined when no row is left. */
  rowsBehind(key: RowKey | undefined, limit: number): Promise<ReadRows & { readonly last: RowKey | undefined }>;
  /** Keys and modification times in order of the key, after the given key. `last` as above. */
  keysBehind(
    key: RowKey | undefined,
    limit: number,
  ): Promise<{
    readonly keys: readonly { readonly key: RowKey; readonly modified: string | null }[];
    readonly last: RowKey | undefined;
  }>;
  /** The existing rows with these keys. */
  findKeys(keys: readonly RowKey[]): Promise<ReadRows>;
  /** Rows that match any of these sets of values. */
  findAny(lookups: readonly ColumnValues[]): Promise<ReadRows>;
  /** A page of all rows in the given order, then in order of the key; and the number of all rows. */
  page(offset: number, limit: number, order: readonly ColumnOrder[]): Promise<ReadRows & { readonly total: number }>;
  /** The values that expressions of `toRow` give these columns for a record. */
  mapped(record: JsonObject, columns: readonly string[]): Promise<MappedColumns>;
  /** The equality of each column of the table. It is read once. */
  equalities(): Promise<ReadonlyMap<string, ColumnEquality>>;
  /** The columns of an index, in order. Only of MySQL and MariaDB, whose errors do not name them. */
  columnsOfIndex(index: string): Promise<readonly string[]>;
  /** Reads and writes in one transaction. Rows that `find` returns are locked until the end of the transaction. */
  transaction<T>(work: (table: WritableTable) => Promise<T>): Promise<T>;
  /** A transaction of several events: it waits for locks only shortly. Undefined: the database cannot limit the wait. */
  readonly together: (<T>(work: (table: ManyRows) => Promise<T>) => Promise<T>) | undefined;
}

/** Maximum number of lookups in one statement, because databases limit the depth of a condition. */
const maxLookups = 500;

/**
 * `(a, b) > (?, ?)` in expanded form. The condition on the first column is redundant, but lets the database start at
 * that place of its index instead of reading every earlier row.
 */
const behind = (query: Knex.QueryBuilder, columns: readonly string[], values: readonly ColumnValue[]): void => {
  const [first] = columns;
  if (first !== undefined && columns.length > 1) void query.where(toIdentifier(first), '>=', values[0] as Knex.Value);
  void query.where((group) => {
    for (const [index, column] of columns.entries()) {
      void group.orWhere((step) => {
        for (const [earlier, name] of columns.slice(0, index).entries())
          void step.where(toIdentifier(name), values[earlier] as Knex.Value);
        void step.where(toIdentifier(column), '>', values[index] as Knex.Value);
      });
    }
  });
};

/** The table on a knex connection. It does not close the connection. */
export const createSourceTable = (connection: Knex, metadata: TableMetadata, dialect: Dialect): SourceTable => {
  const { schema, tableName } = metadata.dataSource;
  const keyColumns = metadata.primaryKeySpecs.map(({ column }) => column);
  const modifiedColumn = metadata.timestampSpec?.columnName;
  const dataColumns = Object.keys(metadata.dataColumns);
  let columns = [
    ...new Set([...keyColumns, ...dataColumns, ...(modifiedColumn === undefined ? [] : [modifiedColumn])]),
  ];
  const mapping = openTableMapping(metadata, dialect);

  const sql = sqlOfDialect[dialect];
  const keyTypes = metadata.primaryKeySpecs.map(({ columnType }) => columnType);
  const rowsOf = (on: Knex): Knex.QueryBuilder => {
    const table = toIdentifier(tableName);
    return schema === undefined ? on(table) : on.withSchema(toIdentifier(schema)).table(table);
  };
  const floats = createFloatColumns();
  const textColumns = [
    ...metadata.primaryKeySpecs.map(({ column, columnType }) => [column, columnType] as const),
    ...Object.entries(metadata.dataColumns).map(([column, { columnType }]) => [column, columnType] as const),
  ].flatMap(([column, columnType]) => (columnType === 'STRING' ? [column] : []));
  const nulTexts = createNulTexts(dialect, [...new Set(textColumns)]);
  let texts: ReadonlyMap<string, string> = new Map();
  let loading: Promise<void> | undefined;
  let reading: Promise<ReadonlyMap<string, ColumnEquality>> | undefined;
  const equalities = (): Promise<ReadonlyMap<string, ColumnEquality>> => {
    reading ??= readEqualities(connection, dialect, metadata.dataSource).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
  /** Finds out which columns the driver of SQL Server would round, and which columns expressions read. */
  const prepare = async (): Promise<void> => {
    if (mapping !== undefined) {
      const mapped = mapping.columns(await equalities());
      if (mapped.some((column) => !columns.includes(column))) columns = [...new Set([...columns, ...mapped])];
    }
    if (dialect !== 'mssql') return;
    loading ??= loadMssqlNumbers(connection, metadata.dataSource).then((numbers) => {
      ({ texts } = numbers);
      for (const column of numbers.floats) floats.add(column);
    });
    await loading.catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  };
  const selection = (column: string): string | Knex.Raw => {
    const name = toIdentifier(column);
    const text = texts.get(column);
    // a key keeps its spelling in the adaptor's state
    if (text !== undefined && !keyColumns.includes(column)) return connection.raw(text, [name, name]);
    return floats.has(column) ? connection.raw('?? + 0e0 as ??', [name, name]) : name;
  };
  const selected = (on: Knex): Knex.QueryBuilder =>
    rowsOf(on).select(...columns.map(selection), ...nulTexts.selection(connection, columns));
  /** Runs a statement that `selected` began; again when it has shown that a column is a FLOAT. */
  const rawRows = async (build: () => Knex.QueryBuilder): Promise<readonly RawRow[]> => {
    await prepare();
    for (;;) {
      const raw = (await build()) as RawRow[];
      if (dialect !== 'mysql' || !floats.note(raw)) return nulTexts.whole(floats.spelled(raw));
    }
  };
  // Oracle returns the columns of an insert with the names of the query builder
  const keyOf = (raw: RawRow): RowKey => keyColumns.map((column) => raw[column] ?? raw[toIdentifier(column)] ?? null);
  const keyValues = (key: RowKey): readonly ColumnValue[] =>
    keyTypes.map((type, index) => toKeyColumn(type, key[index] ?? null, dialect));
  const lookupOf = (key: RowKey): ColumnValues => {
    const values = keyValues(key);
    return Object.fromEntries(keyColumns.map((column, index) => [column, values[index] ?? null]));
  };
  const inStatements = (lookups: readonly ColumnValues[]): readonly (readonly ColumnValues[])[] => {
    const widest = Math.max(1, ...lookups.map((lookup) => Object.keys(lookup).length));
    const size = Math.max(1, Math.min(maxLookups, Math.floor(sql.maxParameters / widest)));
    return Array.from({ length: Math.ceil(lookups.length / size) }, (_, index) =>
      lookups.slice(index * size, (index + 1) * size),
    );
  };
  const read = async (raw: readonly RawRow[], on: Knex = connection): Promise<ReadRows> =>
    readRows(metadata, raw, mapping && (await mapping.toRecords(raw, await equalities(), on)));
  const findAny = async (lookups: readonly ColumnValues[]): Promise<ReadRows> => {
    const raw: RawRow[] = [];
    for (const some of inStatements(lookups))
      raw.push(...(await rawRows(() => matchingAny(selected(connection), some))));
    return read(raw);
  };

  const access: TableAccess = {
    connection,
    metadata,
    dialect,
    rowsOf,
    selected,
    rawRows,
    read,
    mapped: async (record, names, on) =>
      (await mapping?.toRow(record, names, await equalities(), on)) ?? { results: {}, values: {} },
    keyOf,
    lookupOf,
  };
  const { shortLocks } = sql;
  const writerWatch = createWriterWatch();
  const now = async (): Promise<bigint> => {
    const answer: unknown = await connection.select(connection.raw(`${sql.clock('MICROSECONDS')} as moment`)).first();
    const moment = parseTimestamp((answer as { moment: string }).moment);
    if (moment === undefined) throw new Error('the database did not return its time');
    return moment;
  };

  return {
    metadata,
    dialect,
    equalities,
    mapped: (record, names) => access.mapped(record, names, connection),
    columnsOfIndex: async (index) => {
      if (dialect !== 'mysql') return [];
      const [rows] = await connection.raw<readonly [readonly { readonly name: string }[], unknown]>(
        `SELECT column_name AS name FROM information_schema.statistics
         WHERE table_schema = coalesce(?, database()) AND table_name = ? AND index_name = ? ORDER BY seq_in_index`,
        [schema ?? null, tableName, index],
      );
      return rows.map(({ name }) => name);
    },
    now,
    lookAtWriters: async (known) => {
      const look = await lookForWriters(connection, dialect, metadata.dataSource);
      return look && { now: look.now, completeUntil: writerWatch.completeUntil(look.writers, look.now, known) };
    },
    scan: async ({ from, until, after, limit }) => {
      if (modifiedColumn === undefined) return { rows: [], faulty: [], outside: [], last: undefined };
      const order = [modifiedColumn, ...keyColumns];
      const raw = await rawRows(() => {
        const query = selected(connection).orderBy(order.map(toIdentifier)).limit(limit);
        if (after === undefined) void query.where(toIdentifier(modifiedColumn), '>=', sql.momentText(from));
        if (until !== undefined) {
          // a T between date and time sorts after a blank; the condition needs no index
          const spelled =
            dialect === 'sqlite'
              ? connection.raw(`replace(??, 'T', ' ')`, [toIdentifier(modifiedColumn)])
              : toIdentifier(modifiedColumn);
          void query.where(spelled as string, '<=', sql.momentText(until));
        }
        if (after !== undefined) behind(query, order, [after.modified, ...keyValues(after.key)]);
        return query;
      });
      const last = raw.at(-1);
      return {
        ...(await read(raw)),
        last: last === undefined ? undefined : { modified: columnText(last[modifiedColumn] ?? null), key: keyOf(last) },
      };
    },
    existing: async (keys) => {
      const raw: RawRow[] = [];
      for (const some of inStatements(keys.map(lookupOf))) {
        const query = rowsOf(connection).select(
          ...keyColumns.map(toIdentifier),
          ...nulTexts.selection(connection, keyColumns),
        );
        raw.push(...nulTexts.whole((await matchingAny(query, some)) as RawRow[]));
      }
      return new Set(raw.map((row) => rowKeyText(keyOf(row))));
    },
    rowsBehind: async (key, limit) => {
      const raw = await rawRows(() => {
        const query = selected(connection).orderBy(keyColumns.map(toIdentifier)).limit(limit);
        if (key !== undefined) behind(query, keyColumns, keyValues(key));
        return query;
      });
      const last = raw.length < limit ? undefined : raw.at(-1);
      return { ...(await read(raw)), last: last === undefined ? undefined : keyOf(last) };
    },
    keysBehind: async (key, limit) => {
      const read = modifiedColumn === undefined ? keyColumns : [...new Set([...keyColumns, modifiedColumn])];
      const query = rowsOf(connection)
        .select(...read.map(toIdentifier), ...nulTexts.selection(connection, keyColumns))
        .orderBy(keyColumns.map(toIdentifier))
        .limit(limit);
      if (key !== undefined) behind(query, keyColumns, keyValues(key));
      const raw = nulTexts.whole((await query) as RawRow[]);
      const keys = raw.map((row) => {
        const modified = modifiedColumn === undefined ? null : (row[modifiedColumn] ?? null);
        return { key: keyOf(row), modified: modified === null ? null : columnText(modified) };
      });
      return { keys, last: raw.length < limit ? undefined : keys.at(-1)?.key };
    },
    findKeys: (keys) => findAny(keys.map(lookupOf)),
    findAny,
    page: async (offset, limit, order) => {
      const raw = await rawRows(() =>
        selected(connection)
          .orderBy(
            [...order, ...keyColumns.map((column) => ({ column }))].map((term) => ({
              ...term,
              column: toIdentifier(term.column),
            })),
          )
          .offset(offset)
          .limit(limit),
      );
      const [counted]: { total: ColumnValue }[] = await rowsOf(connection).count({ total: '*' });
      return { ...(await read(raw)), total: Number(counted?.total ?? 0) };
    },
    transaction: async (work) => {
      // before the transaction takes a connection of the pool
      await prepare();
      return connection.transaction((transaction) =>
        withWritable(transaction, () => work(createWritableTable(access, transaction))),
      );
    },
    together:
      shortLocks === undefined
        ? undefined
        : async (work) => {
            await prepare();
            const known = await equalities();
            return connection.transaction((transaction) =>
              withWritable(transaction, async () => {
                for (const statement of shortLocks.begin) await transaction.raw(statement);
                try {
                  return await work(createManyRows(access, transaction, known));
                } finally {
                  // a connection that is lost needs no setting
                  for (const statement of shortLocks.end) await transaction.raw(statement).catch(() => undefined);
                }
              }),
            );
          },
  };
};
