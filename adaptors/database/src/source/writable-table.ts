import type { Knex } from 'knex';
import type { ColumnValue, ColumnValues } from '../columns/column-text.js';
import { ValueFault } from './column-value.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import type { Dialect } from './dialect.js';
import { toIdentifier } from './identifier.js';
import type { RowKey } from './row-key.js';
import type { JsonObject } from '@fds/adaptor-protocol';
import type { MappedColumns } from './mapping/table-mapping.js';
import { missingKey, type ReadRows, type SourceRow } from './source-row.js';
import { sqlOfDialect } from './sql-of-dialect.js';

type RawRow = Readonly<Record<string, ColumnValue>>;

/** A row after a statement. */
export interface Stored {
  /** Number of rows that the database says it has written. */
  readonly affected: number;
  /** The row after defaults and triggers were applied; undefined: it does not exist. */
  readonly row: SourceRow | undefined;
}

/**
 * The table inside a transaction. A write sets the modification column by the database's clock. A row that is not a
 * valid record of the domain causes a ValueFault.
 */
export interface WritableTable {
  /** Rows that match by the equality of the database. They are locked. At most `maxFound`. */
  find(lookup: ColumnValues): Promise<readonly SourceRow[]>;
  /** Is there a row that can be read? A policy of the database may show rows that `find` cannot lock. */
  isReadable(lookup: ColumnValues): Promise<boolean>;
  /** The values that expressions of `toRow` give these columns for a record. */
  mapped(record: JsonObject, columns: readonly string[]): Promise<MappedColumns>;
  insert(values: ColumnValues): Promise<Stored>;
  update(key: RowKey, values: ColumnValues): Promise<Stored>;
  /** The row as it would be after an update, which is undone. */
  tryUpdate(key: RowKey, values: ColumnValues): Promise<SourceRow | undefined>;
  /** Sets only the modification column, so that a scan finds the row. Does nothing without one. */
  touch(key: RowKey): Promise<void>;
  delete(key: RowKey): Promise<Stored>;
}

/** More rows than this with one key by the equality of the database are ambiguous in any case. */
export const maxFound = 20;

/** The table on a connection, with the functions that every access to it shares. */
export interface TableAccess {
  readonly connection: Knex;
  readonly metadata: TableMetadata;
  readonly dialect: Dialect;
  rowsOf(on: Knex): Knex.QueryBuilder;
  selected(on: Knex): Knex.QueryBuilder;
  /** Runs a statement that `selected` began. */
  rawRows(build: () => Knex.QueryBuilder): Promise<readonly RawRow[]>;
  /** Converts rows to records. @param on the connection for rows that expressions look up */
  read(raw: readonly RawRow[], on: Knex): Promise<ReadRows>;
  mapped(record: JsonObject, columns: readonly string[], on: Knex): Promise<MappedColumns>;
  keyOf(raw: RawRow): RowKey;
  lookupOf(key: RowKey): ColumnValues;
}

export const byIdentifier = (values: ColumnValues): Record<string, ColumnValue> =>
  Object.fromEntries(Object.entries(values).map(([column, value]) => [toIdentifier(column), value]));

/** Rows that match any of the lookups. */
export const matchingAny = (query: Knex.QueryBuilder, lookups: readonly ColumnValues[]): Knex.QueryBuilder => {
  const [column, ...more] = Object.keys(lookups[0] ?? {});
  const isOneColumn =
    column !== undefined &&
    more.length === 0 &&
    lookups.every((one) => Object.keys(one).join() === column && one[column] !== null);
  // one list is planned much faster than as many conditions
  if (isOneColumn)
    return query.whereIn(toIdentifier(column), [
      ...new Set(lookups.map((one) => one[column])),
    ] as readonly Knex.Value[]);
  return query.where((group) => {
    for (const lookup of lookups) void group.orWhere(byIdentifier(lookup));
  });
};

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

/** An update that is undone. */
class Undone extends Error {}

/** Functions that every write to a table needs. */
export interface RowTools {
  /** The SQL of the database's clock for the modification column. */
  readonly clock: string;
  /** The modification column with that clock; empty without one. */
  readonly stamp: Record<string, unknown>;
  /** The values, with the modification column. */
  stamped(values: ColumnValues): Record<string, unknown>;
  /** @throws ValueFault when a row is not a valid record */
  valid(raw: readonly RawRow[], on: Knex): Promise<readonly SourceRow[]>;
}

export const rowTools = ({ connection, metadata, dialect, read }: TableAccess): RowTools => {
  const modifiedColumn = metadata.timestampSpec?.columnName;
  const clock = sqlOfDialect[dialect].clock(metadata.timestampSpec?.precision ?? 'MICROSECONDS');
  const stamp = modifiedColumn === undefined ? {} : { [toIdentifier(modifiedColumn)]: connection.raw(clock) };
  return {
    clock,
    stamp,
    stamped: (values) =>
      modifiedColumn === undefined || modifiedColumn in values
        ? byIdentifier(values)
        : { ...byIdentifier(values), ...stamp },
    valid: async (raw, on) => {
      const { rows, faulty, outside } = await read(raw, on);
      if (faulty[0] !== undefined) throw new ValueFault(faulty[0].fault, faulty[0].title);
      return outside.length === 0 ? rows : [...rows, ...outside];
    },
  };
};

/** The table on a transaction of its connection. */
export const createWritableTable = (access: TableAccess, transaction: Knex.Transaction): WritableTable => {
  const { metadata, dialect, rowsOf, selected, rawRows, keyOf, lookupOf } = access;
  const sql = sqlOfDialect[dialect];
  const { stamp, stamped, valid } = rowTools(access);
  const modifiedColumn = metadata.timestampSpec?.columnName;
  const oneRow = async (on: Knex, key: RowKey): Promise<SourceRow | undefined> => {
    const raw = await rawRows(() =>
      selected(on)
        .where(byIdentifier(lookupOf(key)))
        .limit(1),
    );
    return (await valid(raw, on))[0];
  };
  const keyAfter = (key: RowKey, values: ColumnValues): RowKey =>
    metadata.primaryKeySpecs.map(({ column }, index) => values[column] ?? key[index] ?? null);
  const updateOn = async (on: Knex, key: RowKey, values: ColumnValues): Promise<Stored> => {
    const affected = await rowsOf(on)
      .where(byIdentifier(lookupOf(key)))
      .update(stamped(values));
    return { affected, row: await oneRow(on, keyAfter(key, values)) };
  };

  return {
    find: async (lookup) => {
      const raw = await rawRows(() => {
        const query = selected(transaction).where(byIdentifier(lookup));
        if (sql.limitsLocked) void query.limit(maxFound);
        return dialect === 'sqlite' ? query : query.forUpdate();
      });
      return (await valid(raw, transaction)).slice(0, maxFound);
    },
    isReadable: async (lookup) =>
      (await rawRows(() => selected(transaction).where(byIdentifier(lookup)).limit(1))).length > 0,
    mapped: (record, columns) => access.mapped(record, columns, transaction),
    insert: async (values) => {
      const inserting = rowsOf(transaction).insert(stamped(values));
      if (!sql.returnsInserted) {
        const [numbered] = (await inserting) as unknown as readonly (number | string)[];
        return { affected: 1, row: await oneRow(transaction, insertedKey(metadata, values, numbered)) };
      }
      const [returned]: RawRow[] = await inserting.returning(
        metadata.primaryKeySpecs.map(({ column }) => toIdentifier(column)),
        // OUTPUT without INTO fails if the table has triggers
        dialect === 'mssql' ? { includeTriggerModifications: true } : {},
      );
      if (returned === undefined) return { affected: 0, row: undefined };
      const key = keyOf(returned).map((value, at) => {
        const written = values[metadata.primaryKeySpecs[at]?.column ?? ''];
        // the driver of SQLite returns a text up to U+0000 only
        return typeof written === 'string' && written.includes('\0') ? written : value;
      });
      return { affected: 1, row: await oneRow(transaction, key) };
    },
    update: (key, values) => updateOn(transaction, key, values),
    tryUpdate: async (key, values) => {
      let row: SourceRow | undefined;
      try {
        await transaction.transaction(async (nested) => {
          row = (await updateOn(nested, key, values)).row;
          throw new Undone();
        });
      } catch (error) {
        // an update that fails does not make the row what it is
        if (!(error instanceof Undone)) return undefined;
      }
      return row;
    },
    touch: async (key) => {
      if (modifiedColumn === undefined) return;
      await rowsOf(transaction)
        .where(byIdentifier(lookupOf(key)))
        .update(stamp);
    },
    delete: async (key) => {
      const affected = await rowsOf(transaction)
        .where(byIdentifier(lookupOf(key)))
        .delete();
      return { affected, row: await oneRow(transaction, key) };
    },
  };
};
