import type { Knex } from 'knex';
import { columnText, type ColumnValue } from '../columns/column-text.js';
import { toKeyColumn, ValueFault } from '../columns/column-value.js';
import { parseTimestamp } from '../columns/timestamp-text.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import type { Dialect } from './dialect.js';
import { createFloatColumns } from './float-columns.js';
import { toIdentifier } from './identifier.js';
import { rowKeyText, type RowKey } from './row-key.js';
import { sqlOfDialect } from './sql-of-dialect.js';
import { missingKey, readRows, type ReadRows, type SourceRow } from './source-row.js';

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

/** Column values to write, or to find a row by. */
export type ColumnValues = Readonly<Record<string, ColumnValue>>;

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
  /** Reads and writes in one transaction. Rows that `find` returns are locked until the end of the transaction. */
  transaction<T>(work: (table: WritableTable) => Promise<T>): Promise<T>;
}

/**
 * The table inside a transaction. A write sets the modification column by the database's clock. A row that is not a
 * valid record of the domain causes a ValueFault.
 */
export interface WritableTable {
  /** Returns at most two rows: enough to detect an ambiguous lookup. */
  find(lookup: ColumnValues): Promise<readonly SourceRow[]>;
  /** @returns the stored row, after defaults and triggers were applied */
  insert(values: ColumnValues): Promise<SourceRow>;
  update(key: RowKey, values: ColumnValues): Promise<SourceRow>;
  delete(key: RowKey): Promise<void>;
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

const byIdentifier = (values: ColumnValues): Record<string, ColumnValue> =>
  Object.fromEntries(Object.entries(values).map(([column, value]) => [toIdentifier(column), value]));

/** The key of a new row if the database returns no columns: the written values and the generated number. */
const insertedKey = (
  { primaryKeySpecs, dataSource }: TableMetadata,
  values: ColumnValues,
  numbered: number | string | undefined,
): RowKey =>
  primaryKeySpecs.map(({ column, type, required }) => {
    const value = values[column];
    if (value !== undefined && value !== null) return value;
    if (type === 'LOCAL_AUTO' && numbered !== undefined && String(numbered) !== '0') return numbered;
    if (type === 'DOMAIN' && required) throw new ValueFault(missingKey(dataSource.tableName, column));
    throw new Error(
      `${dataSource.tableName}: the database does not return the value of key column ${column}: no AUTO_INCREMENT`,
    );
  });

/** The table on a knex connection. It does not close the connection. */
export const createSourceTable = (connection: Knex, metadata: TableMetadata, dialect: Dialect): SourceTable => {
  const { schema, tableName } = metadata.dataSource;
  const keyColumns = metadata.primaryKeySpecs.map(({ column }) => column);
  const modifiedColumn = metadata.timestampSpec?.columnName;
  const dataColumns = Object.keys(metadata.dataColumns);
  const columns = [
    ...new Set([...keyColumns, ...dataColumns, ...(modifiedColumn === undefined ? [] : [modifiedColumn])]),
  ];

  const sql = sqlOfDialect[dialect];
  const keyTypes = metadata.primaryKeySpecs.map(({ columnType }) => columnType);
  const clock = sql.clock(metadata.timestampSpec?.precision ?? 'MICROSECONDS');
  const rowsOf = (on: Knex): Knex.QueryBuilder => {
    const table = toIdentifier(tableName);
    return schema === undefined ? on(table) : on.withSchema(toIdentifier(schema)).table(table);
  };
  const floats = createFloatColumns();
  const selection = (column: string): string | Knex.Raw => {
    const name = toIdentifier(column);
    return floats.has(column) ? connection.raw('?? + 0e0 as ??', [name, name]) : name;
  };
  const selected = (on: Knex): Knex.QueryBuilder => rowsOf(on).select(...columns.map(selection));
  /** Runs a statement that `selected` began; again when it has shown that a column is a FLOAT. */
  const rawRows = async (build: () => Knex.QueryBuilder): Promise<readonly RawRow[]> => {
    for (;;) {
      const raw = (await build()) as RawRow[];
      if (dialect !== 'mysql' || !floats.note(raw)) return floats.spelled(raw);
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
  const matchingAny = (query: Knex.QueryBuilder, lookups: readonly ColumnValues[]): Knex.QueryBuilder =>
    query.where((group) => {
      for (const lookup of lookups) void group.orWhere(byIdentifier(lookup));
    });
  const stamped = (values: ColumnValues): Record<string, unknown> =>
    modifiedColumn === undefined || modifiedColumn in values
      ? byIdentifier(values)
      : { ...byIdentifier(values), [toIdentifier(modifiedColumn)]: connection.raw(clock) };

  const oneRow = async (on: Knex, key: RowKey): Promise<SourceRow> => {
    const raw = await rawRows(() =>
      selected(on)
        .where(byIdentifier(lookupOf(key)))
        .limit(1),
    );
    const { rows, faulty } = readRows(metadata, raw);
    const [row] = rows;
    if (faulty[0] !== undefined) throw new ValueFault(faulty[0].fault);
    if (row === undefined)
      throw new Error(`${tableName} ${rowKeyText(key)} no longer exists right after it was written`);
    return row;
  };

  const writable = (transaction: Knex.Transaction): WritableTable => ({
    find: async (lookup) => {
      const raw = await rawRows(() => {
        const query = selected(transaction).where(byIdentifier(lookup));
        if (sql.limitsLocked) void query.limit(2);
        return dialect === 'sqlite' ? query : query.forUpdate();
      });
      const { rows, faulty } = readRows(metadata, raw);
      if (faulty[0] !== undefined) throw new ValueFault(faulty[0].fault);
      return rows.slice(0, 2);
    },
    insert: async (values) => {
      const inserting = rowsOf(transaction).insert(stamped(values));
      if (!sql.returnsInserted) {
        const [numbered] = (await inserting) as unknown as readonly (number | string)[];
        return oneRow(transaction, insertedKey(metadata, values, numbered));
      }
      const [returned]: RawRow[] = await inserting.returning(
        keyColumns.map(toIdentifier),
        // OUTPUT without INTO fails if the table has triggers
        dialect === 'mssql' ? { includeTriggerModifications: true } : {},
      );
      return oneRow(transaction, keyOf(returned ?? {}));
    },
    update: async (key, values) => {
      if (Object.keys(values).length > 0)
        await rowsOf(transaction)
          .where(byIdentifier(lookupOf(key)))
          .update(stamped(values));
      return oneRow(transaction, key);
    },
    delete: async (key) => {
      await rowsOf(transaction)
        .where(byIdentifier(lookupOf(key)))
        .delete();
    },
  });

  const findAny = async (lookups: readonly ColumnValues[]): Promise<ReadRows> => {
    const raw: RawRow[] = [];
    for (const some of inStatements(lookups))
      raw.push(...(await rawRows(() => matchingAny(selected(connection), some))));
    return readRows(metadata, raw);
  };

  return {
    metadata,
    dialect,
    now: async () => {
      const answer: unknown = await connection.select(connection.raw(`${sql.clock('MICROSECONDS')} as moment`)).first();
      const moment = parseTimestamp((answer as { moment: string }).moment);
      if (moment === undefined) throw new Error('the database did not return its time');
      return moment;
    },
    scan: async ({ from, until, after, limit }) => {
      if (modifiedColumn === undefined) return { rows: [], faulty: [], last: undefined };
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
        ...readRows(metadata, raw),
        last: last === undefined ? undefined : { modified: columnText(last[modifiedColumn] ?? null), key: keyOf(last) },
      };
    },
    existing: async (keys) => {
      const raw: RawRow[] = [];
      for (const some of inStatements(keys.map(lookupOf))) {
        const query = rowsOf(connection).select(...keyColumns.map(toIdentifier));
        raw.push(...((await matchingAny(query, some)) as RawRow[]));
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
      return { ...readRows(metadata, raw), last: last === undefined ? undefined : keyOf(last) };
    },
    keysBehind: async (key, limit) => {
      const read = modifiedColumn === undefined ? keyColumns : [...new Set([...keyColumns, modifiedColumn])];
      const query = rowsOf(connection)
        .select(...read.map(toIdentifier))
        .orderBy(keyColumns.map(toIdentifier))
        .limit(limit);
      if (key !== undefined) behind(query, keyColumns, keyValues(key));
      const raw = (await query) as RawRow[];
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
      return { ...readRows(metadata, raw), total: Number(counted?.total ?? 0) };
    },
    transaction: (work) => connection.transaction((transaction) => work(writable(transaction))),
  };
};
